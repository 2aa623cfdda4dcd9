package profile

// WebhookRule is how a service signs the messages that it sends when something has changed. They only say that there
// is news: nothing in them is read. Without a header they are not signed, and a secret address alone keeps strangers out.
type WebhookRule struct {
	// Header carries the signature, an HMAC-SHA256.
	Header string `yaml:"header"`
	// Encoding is hex or base64; hex when empty. "sha256=" before it is ignored.
	Encoding string `yaml:"encoding"`
	// Signed is what the signature covers: body, time+body or time.body; body when empty. With a time the header has the
	// form t=<seconds since 1970>,v1=<signature>, and a message is refused five minutes before or after it.
	Signed string `yaml:"signed"`
}

// Values of WebhookRule's fields.
const (
	WebhookHex         = "hex"
	WebhookBase64      = "base64"
	WebhookBody        = "body"
	WebhookTimeBody    = "time+body"
	WebhookTimeDotBody = "time.body"
)

func (c *profileChecker) webhook() {
	w := c.p.Webhook
	if w.Header == "" {
		for _, only := range []struct{ name, value string }{{"encoding", w.Encoding}, {"signed", w.Signed}} {
			if only.value != "" {
				c.add("webhook."+only.name, "is of use with webhook.header only; give that, or leave it out")
			}
		}
		return
	}
	c.header("webhook.header", w.Header)
	c.oneOf("webhook.encoding", w.Encoding, WebhookHex, WebhookBase64)
	c.oneOf("webhook.signed", w.Signed, WebhookBody, WebhookTimeBody, WebhookTimeDotBody)
}
