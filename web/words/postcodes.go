package words

import "strings"

// Where postcode areas lie: for each country whose areas are known here a grid of squares, in which each area is about where it
// is in the country, and the name of its largest or best known place. The grids were made for this program: each area has the
// free square that is nearest to its place, with the least distance in all.

// PostcodeGrid is a map of a country by postcode area. It is immutable.
type PostcodeGrid struct {
	Country    string // ISO 3166-1, two letters
	Cols, Rows int
	Areas      []GridArea // by row, then column
}

// GridArea is a square of a grid, from 0.
type GridArea struct {
	Area     string // two digits
	Col, Row int
}

// GridOf returns the grid of a country; nil if there is none.
func GridOf(country string) *PostcodeGrid { return postcodeGrids[country] }

// PlaceOf returns the best known place of a postcode area, such as "NL 35"; empty if it is not known here.
func PlaceOf(area string) string {
	country, digits, _ := strings.Cut(area, " ")
	return postcodePlaces[country][digits]
}

var postcodeGrids = map[string]*PostcodeGrid{
	"NL": newGrid("NL", `
.. .. .. .. .. .. 89 91 98 97 99
.. .. .. .. .. 88 86 90 92 93 96
.. .. .. 18 17 87 85 84 .. 94 95
.. .. 19 15 14 16 82 83 .. 79 78
.. .. 20 11 10 12 13 80 81 77 ..
.. 22 23 21 36 37 38 73 74 76 75
.. 25 27 24 34 35 39 67 72 71 ..
.. 26 30 29 28 41 40 68 69 70 ..
.. 32 31 33 42 52 53 66 65 .. ..
43 44 47 48 49 51 54 57 58 .. ..
.. 45 46 .. 50 55 56 60 59 .. ..
.. .. .. .. .. .. 61 64 .. .. ..
.. .. .. .. .. .. 62 63 .. .. ..`),
	"BE": newGrid("BE", `
.. 80 83 99 91 20 21 29 22 23 .. .. ..
84 82 87 90 92 26 28 25 32 24 39 .. ..
86 88 98 97 93 17 18 31 30 38 35 36 ..
89 85 96 95 94 10 12 19 33 34 37 46 ..
.. 77 75 78 15 16 11 13 42 43 44 40 47
.. .. 76 79 70 71 14 50 51 45 41 48 49
.. .. .. .. 73 61 60 62 55 53 69 .. ..
.. .. .. .. .. 65 64 56 .. .. .. 66 ..
.. .. .. .. .. .. .. .. .. 68 .. .. ..
.. .. .. .. .. .. .. .. .. .. .. 67 ..`),
	"DE": newGrid("DE", `
.. .. .. 25 24 .. .. 18 .. .. ..
.. .. .. .. 22 23 .. .. 17 .. ..
.. .. 26 27 20 21 19 .. .. .. ..
.. .. .. 28 .. 29 .. .. 13 16 ..
46 48 49 32 30 38 39 14 10 12 15
47 45 44 33 31 .. .. 06 .. 03 ..
40 42 58 59 34 37 99 04 .. .. 02
41 50 51 57 35 36 07 08 09 01 ..
52 53 65 61 60 98 96 95 .. .. ..
54 56 55 64 63 97 .. 92 .. .. ..
66 67 68 69 74 91 90 93 .. .. ..
.. .. 76 75 71 73 86 85 94 .. ..
.. .. 77 72 70 89 80 81 84 .. ..
.. .. 79 78 88 87 82 83 .. .. ..`),
}

func newGrid(country, rows string) *PostcodeGrid {
	g := &PostcodeGrid{Country: country}
	for row, line := range strings.Split(strings.TrimSpace(rows), "\n") {
		for col, area := range strings.Fields(line) {
			g.Cols, g.Rows = max(g.Cols, col+1), row+1
			if area != ".." {
				g.Areas = append(g.Areas, GridArea{area, col, row})
			}
		}
	}
	return g
}

var postcodePlaces = map[string]map[string]string{
	"NL": newPlaces(`
10 Amsterdam, 11 Amstelveen, 12 Hilversum, 13 Almere, 14 Purmerend, 15 Zaandam, 16 Hoorn, 17 Den Helder, 18 Alkmaar, 19 Beverwijk,
20 Haarlem, 21 Hoofddorp, 22 Katwijk, 23 Leiden, 24 Alphen aan den Rijn, 25 Den Haag, 26 Delft, 27 Zoetermeer, 28 Gouda,
29 Capelle aan den IJssel, 30 Rotterdam, 31 Schiedam, 32 Spijkenisse, 33 Dordrecht, 34 Woerden, 35 Utrecht, 36 Maarssen, 37 Zeist,
38 Amersfoort, 39 Veenendaal, 40 Tiel, 41 Culemborg, 42 Gorinchem, 43 Middelburg, 44 Goes, 45 Terneuzen, 46 Bergen op Zoom,
47 Roosendaal, 48 Breda, 49 Oosterhout, 50 Tilburg, 51 Waalwijk, 52 's-Hertogenbosch, 53 Oss, 54 Uden, 55 Veldhoven, 56 Eindhoven,
57 Helmond, 58 Boxmeer, 59 Venlo, 60 Roermond, 61 Sittard, 62 Maastricht, 63 Kerkrade, 64 Heerlen, 65 Nijmegen, 66 Wijchen, 67 Ede,
68 Arnhem, 69 Zevenaar, 70 Doetinchem, 71 Winterswijk, 72 Zutphen, 73 Apeldoorn, 74 Deventer, 75 Enschede, 76 Almelo,
77 Hardenberg, 78 Emmen, 79 Hoogeveen, 80 Zwolle, 81 Raalte, 82 Lelystad, 83 Emmeloord, 84 Heerenveen, 85 Joure, 86 Sneek,
87 Bolsward, 88 Franeker, 89 Leeuwarden, 90 Grou, 91 Dokkum, 92 Drachten, 93 Roden, 94 Assen, 95 Stadskanaal, 96 Hoogezand,
97 Groningen, 98 Zuidhorn, 99 Delfzijl`),
	"BE": newPlaces(`
10 Brussel, 11 Brussel, 12 Brussel, 13 Wavre, 14 Nivelles, 15 Halle, 16 Sint-Pieters-Leeuw, 17 Asse, 18 Vilvoorde, 19 Zaventem,
20 Antwerpen, 21 Antwerpen, 22 Herentals, 23 Turnhout, 24 Geel, 25 Lier, 26 Antwerpen, 28 Mechelen, 29 Brasschaat, 30 Leuven,
31 Haacht, 32 Aarschot, 33 Tienen, 34 Landen, 35 Hasselt, 36 Genk, 37 Tongeren, 38 Sint-Truiden, 39 Lommel, 40 Liège, 41 Seraing,
42 Hannut, 43 Waremme, 44 Ans, 45 Huy, 46 Visé, 47 Eupen, 48 Verviers, 49 Malmedy, 50 Namur, 51 Namur, 53 Andenne, 55 Dinant,
56 Philippeville, 60 Charleroi, 61 Fontaine-l'Évêque, 62 Châtelet, 64 Chimay, 65 Thuin, 66 Bastogne, 67 Arlon, 68 Libramont,
69 Marche-en-Famenne, 70 Mons, 71 La Louvière, 73 Saint-Ghislain, 75 Tournai, 76 Péruwelz, 77 Mouscron, 78 Ath,
79 Leuze-en-Hainaut, 80 Brugge, 82 Zedelgem, 83 Knokke-Heist, 84 Oostende, 85 Kortrijk, 86 Diksmuide, 87 Tielt, 88 Roeselare,
89 Ieper, 90 Gent, 91 Sint-Niklaas, 92 Dendermonde, 93 Aalst, 94 Ninove, 95 Geraardsbergen, 96 Ronse, 97 Oudenaarde, 98 Deinze,
99 Eeklo`),
	"DE": newPlaces(`
01 Dresden, 02 Görlitz, 03 Cottbus, 04 Leipzig, 06 Halle, 07 Gera, 08 Zwickau, 09 Chemnitz, 10 Berlin, 12 Berlin, 13 Berlin,
14 Potsdam, 15 Frankfurt (Oder), 16 Eberswalde, 17 Neubrandenburg, 18 Rostock, 19 Schwerin, 20 Hamburg, 21 Lüneburg, 22 Hamburg,
23 Lübeck, 24 Kiel, 25 Husum, 26 Oldenburg, 27 Bremerhaven, 28 Bremen, 29 Celle, 30 Hannover, 31 Hildesheim, 32 Herford,
33 Bielefeld, 34 Kassel, 35 Gießen, 36 Fulda, 37 Göttingen, 38 Braunschweig, 39 Magdeburg, 40 Düsseldorf, 41 Mönchengladbach,
42 Wuppertal, 44 Dortmund, 45 Essen, 46 Oberhausen, 47 Duisburg, 48 Münster, 49 Osnabrück, 50 Köln, 51 Köln, 52 Aachen, 53 Bonn,
54 Trier, 55 Mainz, 56 Koblenz, 57 Siegen, 58 Hagen, 59 Hamm, 60 Frankfurt, 61 Bad Homburg, 63 Offenbach, 64 Darmstadt,
65 Wiesbaden, 66 Saarbrücken, 67 Ludwigshafen, 68 Mannheim, 69 Heidelberg, 70 Stuttgart, 71 Ludwigsburg, 72 Tübingen, 73 Göppingen,
74 Heilbronn, 75 Pforzheim, 76 Karlsruhe, 77 Offenburg, 78 Villingen-Schwenningen, 79 Freiburg, 80 München, 81 München,
82 Starnberg, 83 Rosenheim, 84 Landshut, 85 Ingolstadt, 86 Augsburg, 87 Kempten, 88 Ravensburg, 89 Ulm, 90 Nürnberg, 91 Erlangen,
92 Amberg, 93 Regensburg, 94 Passau, 95 Hof, 96 Bamberg, 97 Würzburg, 98 Suhl, 99 Erfurt`),
}

// newPlaces reads areas with their places, between commas.
func newPlaces(list string) map[string]string {
	places := map[string]string{}
	for one := range strings.SplitSeq(list, ",") {
		area, place, _ := strings.Cut(strings.TrimSpace(one), " ")
		places[area] = place
	}
	return places
}
