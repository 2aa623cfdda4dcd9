package figures

// OtherEvents stands for all events whose refused records are not counted individually: there are too many, and
// each may lack some.
const OtherEvents = "*"
