package main

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"slices"

	"github.com/chromedp/cdproto/page"

	"housecount/apiclient/sandbox/idp"
)

const (
	// readmePhase is the phase that the README shows.
	readmePhase = "2-arriving"
	// maxReadme is how large a picture of the README may be, in bytes.
	maxReadme = 60 << 10
)

// takeReadme takes the four pictures of the README.
func takeReadme(ctx context.Context, roles []*visitor, h *house, dir string) error {
	manager := roles[slices.IndexFunc(idp.DemoStaff, func(s idp.Staff) bool { return s.User == "manager" })]
	at, err := h.truth(ctx)
	if err != nil {
		return err
	}
	events, err := h.events(ctx, at.AsOf)
	if err != nil {
		return err
	}
	grand := events[slices.IndexFunc(events, func(p performance) bool { return p.tonight && p.hall == "Grote Zaal" })]
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, p := range []struct {
		name, path string
		screen     screen
		scale      float64
	}{
		{"tonight", "/tonight", screen{1440, 900, "light"}, .55},
		{"event", "/events/" + grand.id, screen{1440, 900, "light"}, .55},
		{"wall", "/wall", screen{1920, 1080, "dark"}, .4},
		{"phone", "/tonight", screen{390, 844, "dark"}, .6},
	} {
		if err := manager.open(p.path); err != nil {
			return err
		}
		full, err := manager.shoot(p.screen, &page.Viewport{Width: float64(p.screen.width), Height: float64(p.screen.height), Scale: p.scale})
		if err != nil {
			return err
		}
		small, err := shrink(full)
		if err != nil {
			return err
		}
		if len(small) > maxReadme {
			return fmt.Errorf("the picture %s has %d bytes, more than %d", p.name, len(small), maxReadme)
		}
		if err := os.WriteFile(filepath.Join(dir, p.name+".png"), small, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// shrink encodes a picture again with its 64 most frequent colours; each other colour becomes the nearest
// of them.
func shrink(picture []byte) ([]byte, error) {
	from, err := png.Decode(bytes.NewReader(picture))
	if err != nil {
		return nil, err
	}
	count := map[color.RGBA]int{}
	size := from.Bounds()
	for y := size.Min.Y; y < size.Max.Y; y++ {
		for x := size.Min.X; x < size.Max.X; x++ {
			count[at(from, x, y)]++
		}
	}
	palette := popular(count, 64)
	nearest := map[color.RGBA]uint8{}
	to := image.NewPaletted(size, palette)
	for y := size.Min.Y; y < size.Max.Y; y++ {
		for x := size.Min.X; x < size.Max.X; x++ {
			c := at(from, x, y)
			i, known := nearest[c]
			if !known {
				i = uint8(palette.Index(c))
				nearest[c] = i
			}
			to.SetColorIndex(x, y, i)
		}
	}
	var out bytes.Buffer
	err = (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, to)
	return out.Bytes(), err
}

func at(m image.Image, x, y int) color.RGBA { return color.RGBAModel.Convert(m.At(x, y)).(color.RGBA) }

// popular returns the n most frequent colours, no two of which are all but the same.
func popular(count map[color.RGBA]int, n int) color.Palette {
	all := make([]color.RGBA, 0, len(count))
	for c := range count {
		all = append(all, c)
	}
	value := func(c color.RGBA) int { return int(c.R)<<16 | int(c.G)<<8 | int(c.B) }
	slices.SortFunc(all, func(a, b color.RGBA) int {
		if count[a] != count[b] {
			return count[b] - count[a]
		}
		return value(a) - value(b)
	})
	const alike = 18
	apart := func(a, b uint8) int { return max(int(a)-int(b), int(b)-int(a)) }
	var palette color.Palette
	for _, c := range all {
		if len(palette) == n {
			break
		}
		if !slices.ContainsFunc(palette, func(p color.Color) bool {
			q := p.(color.RGBA)
			return apart(c.R, q.R)+apart(c.G, q.G)+apart(c.B, q.B) < alike
		}) {
			palette = append(palette, c)
		}
	}
	return palette
}
