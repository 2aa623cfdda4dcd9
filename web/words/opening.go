package words

// Opening returns the title and the text of the page that is shown while the database is opened, or brought up to date in
// steps; of is 0 for no step.
func Opening(l Locale, step, of int) (title, text string) {
	w := Of(l)
	if of == 0 {
		return w.Text("upgrade.opens"), w.Text("upgrade.opening")
	}
	return w.Text("upgrade.title"), w.Text("upgrade.step", Int("step", step), Int("of", of))
}
