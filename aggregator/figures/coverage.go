package figures

// OtherEvents stands for all events of which the refused records are not counted one by one:
// there are too many, and each may lack some.
const OtherEvents = "*"
