package notify

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode/utf8"
)

// form is how messages to an address of the house are written.
type form struct {
	name string
	user bool // the address may have a user, a password or a token in it
	// check returns what is wrong with an address, and write where a message with a key goes and what it is. What stands in a
	// message is text: nothing in it has a meaning of its own in the chat.
	check func(*url.URL) error
	write func(u url.URL, key string, t Text) (to url.URL, content any)
}

// forms are those of messages by what stands before :// in an address, "" for https and http.
var forms = map[string]*form{
	"":         {check: anyPath, write: writeJSON},
	"ntfy":     {name: "ntfy", user: true, check: checkNtfy, write: writeNtfy},
	"slack":    {name: "Slack", check: anyPath, write: writeSlack},
	"teams":    {name: "Teams", check: anyPath, write: writeTeams},
	"telegram": {name: "Telegram", check: checkTelegram, write: writeTelegram},
}

// encodeMessage returns the JSON of a message.
func encodeMessage(content any) ([]byte, error) {
	var body bytes.Buffer
	e := json.NewEncoder(&body)
	e.SetEscapeHTML(false)
	err := e.Encode(content)
	return body.Bytes(), err
}

func anyPath(*url.URL) error { return nil }

// message is the body of a message to a program.
type message struct {
	// ID is that of the Idempotency-Key.
	ID     string  `json:"id"`
	Letter string  `json:"letter"` // the name of the letter
	Title  string  `json:"title"`
	URL    string  `json:"url"`
	Alerts []Alert `json:"alerts"`
}

func writeJSON(u url.URL, key string, t Text) (url.URL, any) {
	return u, message{ID: key, Letter: t.Name, Title: t.Subject, URL: t.Open, Alerts: t.Alerts}
}

// textMost is the most bytes of text in a message to a chat. ntfy makes a file of more than 4,096, and Telegram refuses it.
const textMost = 3500

// lines returns the text of a message: its title where that is not shown by itself, what each of several alerts says, and where it leads.
func lines(t Text, title, open bool) string {
	var all []string
	if title || len(t.Alerts) == 0 {
		all = append(all, t.Subject)
	}
	if !title || len(t.Alerts) > 1 {
		for _, a := range t.Alerts {
			all = append(all, a.Text)
		}
	}
	for i, line := range all {
		all[i] = strings.Join(strings.FieldsFunc(line, func(r rune) bool { return r == '\n' || r == '\r' }), " ")
	}
	text := strings.Join(all, "\n")
	if len(text) > textMost {
		cut := textMost
		for !utf8.RuneStart(text[cut]) {
			cut--
		}
		text = text[:cut] + "…"
	}
	if open {
		text += "\n" + t.Open
	}
	return text
}

// Priorities of ntfy: with sound and over everything else, as usual, and without sound.
const (
	ntfyUrgent = 5
	ntfyUsual  = 3
	ntfyQuiet  = 2
)

func checkNtfy(u *url.URL) error {
	if topic := path.Base(u.Path); topic == "." || topic == "/" {
		return errors.New("has no topic: give one like ntfy://ntfy.example.org/TOPIC")
	}
	return nil
}

// writeNtfy writes a message as https://docs.ntfy.sh/publish/#publish-as-json has it.
func writeNtfy(u url.URL, _ string, t Text) (url.URL, any) {
	directory, topic := path.Split(strings.TrimSuffix(u.Path, "/"))
	u.Path, u.RawPath = directory, ""
	m := struct {
		Topic    string `json:"topic"`
		Title    string `json:"title"`
		Message  string `json:"message"`
		Priority int    `json:"priority"`
		Click    string `json:"click,omitempty"`
	}{topic, t.Subject, lines(t, false, false), ntfyUsual, t.Open}
	standing := func(a Alert) bool { return a.Cleared.IsZero() }
	switch {
	case slices.ContainsFunc(t.Alerts, func(a Alert) bool { return standing(a) && a.Level == "bad" }):
		m.Priority = ntfyUrgent
	case !slices.ContainsFunc(t.Alerts, standing):
		m.Priority = ntfyQuiet
	}
	return u, m
}

// slackText has text of Slack, and of what understands the same, without a meaning of its own: no link, and nobody who is called.
var slackText = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "@", "@\u200b")

// writeSlack writes a message as incoming webhooks of Slack have it, and those of Mattermost and Rocket.Chat.
func writeSlack(u url.URL, _ string, t Text) (url.URL, any) {
	return u, map[string]string{"text": slackText.Replace(lines(t, true, false)) + "\n" + t.Open}
}

// writeTeams writes a message as a card, whose runs of text have no markup.
func writeTeams(u url.URL, _ string, t Text) (url.URL, any) {
	type object = map[string]any
	block := func(run object) object {
		run["type"] = "TextRun"
		return object{"type": "RichTextBlock", "inlines": []any{run}}
	}
	var body []any
	for i, line := range strings.Split(lines(t, true, false), "\n") {
		run := object{"text": line}
		if i == 0 {
			run["weight"] = "bolder"
		}
		body = append(body, block(run))
	}
	body = append(body, block(object{"text": t.Open, "selectAction": object{"type": "Action.OpenUrl", "url": t.Open}}))
	card := object{"type": "AdaptiveCard", "$schema": "http://adaptivecards.io/schemas/adaptive-card.json", "version": "1.4", "body": body}
	return u, object{"type": "message", "attachments": []any{object{"contentType": "application/vnd.microsoft.card.adaptive", "content": card}}}
}

func checkTelegram(u *url.URL) error {
	if !strings.HasSuffix(u.Path, "/sendMessage") || u.Query().Get("chat_id") == "" {
		return errors.New("is not one of Telegram: give one like telegram://api.telegram.org/botTOKEN/sendMessage?chat_id=CHAT")
	}
	return nil
}

// writeTelegram writes a message as the Bot API has it, as text without markup.
func writeTelegram(u url.URL, _ string, t Text) (url.URL, any) {
	chat := u.Query().Get("chat_id")
	u.RawQuery = ""
	return u, map[string]any{"chat_id": chat, "text": lines(t, true, true), "link_preview_options": map[string]bool{"is_disabled": true}}
}
