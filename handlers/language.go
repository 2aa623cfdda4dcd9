package handlers

import (
	"net/http"

	"housecount/web"
)

// language is the language to answer a request in.
func (s *site) language(*http.Request) web.Locale { return web.English }
