package sandbox

// production is a title on the programme. price is the highest ticket price, in cents.
type production struct {
	title, series string
	price         int64
}

// tonight lists what each hall plays on the day of the start, in the order of halls. tonightDemand is the demand
// for each as a share of the capacity.
var tonight = []production{
	{"Beethoven: Negende symfonie, Amstelfilharmonie", "ser_grote_meesters", 5950},
	{"De ingebeelde zieke, Gezelschap Linde", "ser_toneel", 3250},
	{"Late Night Trio", "ser_late_night", 1750},
	{"Nacht van de soul: band en dj", "ser_club", 1950},
}

var tonightDemand = []float64{.97, .76, .93, .84}

var grandWorks = []production{
	{"Bach: Matthäus-Passion, Kamerkoor De Waag", "ser_oude_muziek", 6450},
	{"Bach: Brandenburgse concerten, Collegium Amstel", "ser_oude_muziek", 5450},
	{"Händel: Messiah, Koor en Orkest van de Vecht", "ser_oude_muziek", 5950},
	{"Monteverdi: L’Orfeo, half-scenisch", "ser_oude_muziek", 5750},
	{"Mozart: Requiem, Kamerkoor De Waag", "ser_grote_meesters", 5950},
	{"Mozart: Die Zauberflöte, Reisopera Noordzee", "ser_opera", 7200},
	{"Beethoven: Pastorale en Vijfde, Amstelfilharmonie", "ser_grote_meesters", 5450},
	{"Schubert: Winterreise, Lars Hoekstra & Yun Park", "ser_lied", 4250},
	{"Mendelssohn: Elias", "ser_grote_meesters", 5450},
	{"Brahms: Ein deutsches Requiem", "ser_grote_meesters", 5750},
	{"Tsjaikovski: Zwanenmeer, Ballet van het Oosten", "ser_dans", 6950},
	{"Tsjaikovski: De notenkraker, Ballet van het Oosten", "ser_dans", 6950},
	{"Dvořák: Uit de Nieuwe Wereld, Amstelfilharmonie", "ser_grote_meesters", 5250},
	{"Mahler: Vierde symfonie, Orkest Zuid", "ser_grote_meesters", 5750},
	{"Verdi: La traviata, Reisopera Noordzee", "ser_opera", 7200},
	{"Puccini: La bohème, Reisopera Noordzee", "ser_opera", 7200},
	{"Bizet: Carmen in concert", "ser_opera", 6450},
	{"Strauss: Weense avond, Salonorkest Prinsengracht", "ser_lichte_muziek", 4950},
	{"Debussy & Ravel: La mer, Orkest Zuid", "ser_grote_meesters", 5250},
	{"Satie by Night: dertig pianisten, één vleugel", "ser_lichte_muziek", 3950},
	{"Swing! Bigband De Maas", "ser_lichte_muziek", 4250},
	{"Fado uit Porto: Inês Marinho", "ser_wereld", 4450},
	{"Romeo en Julia, een dansvoorstelling", "ser_dans", 5450},
	{"Faust, Groot Toneel", "ser_toneel", 4450},
	{"Lucia de Boer: Alles loopt af (cabaret)", "ser_cabaret", 3450},
	{"Teun & Tamar: Nog één keer dan (cabaret)", "ser_cabaret", 3650},
	{"Peter en de wolf, familieconcert", "ser_familie", 2950},
	{"Stille film met live orkest: Nosferatu", "ser_film", 3250},
}

var smallWorks = []production{
	{"Gijsbrecht van Aemstel, Gezelschap Linde", "ser_toneel", 3250},
	{"Warenar, een vrekkenkomedie", "ser_toneel", 2950},
	{"Tartuffe, Toneelschuur aan Zee", "ser_toneel", 3250},
	{"Nora, een poppenhuis", "ser_toneel", 3250},
	{"Hedda Gabler, Gezelschap Linde", "ser_toneel", 3450},
	{"De kersentuin", "ser_toneel", 3450},
	{"Oom Wanja", "ser_toneel", 3250},
	{"Woyzeck, jong ensemble", "ser_toneel", 2450},
	{"Het belang van Ernst", "ser_toneel", 3250},
	{"Antigone, met publieksgesprek", "ser_toneel", 2950},
	{"Medea, solo door Hanne Vos", "ser_toneel", 2750},
	{"Driekoningenavond", "ser_toneel", 3250},
	{"Cyrano!", "ser_toneel", 3450},
	{"Freule Julie", "ser_toneel", 2950},
	{"Schubert: Forellenkwintet, Kwartet Oever", "ser_kamermuziek", 3150},
	{"Haydn & Bartók, Kwartet Oever", "ser_kamermuziek", 3150},
	{"Goldbergvariaties, Mirjam Zandstra", "ser_kamermuziek", 2950},
	{"Liederen van Alphons Diepenbrock", "ser_lied", 2750},
	{"Nieuwe klanken: Ensemble Kwik", "ser_nieuw", 1950},
	{"Club Cabaret: zes keer tien minuten", "ser_cabaret", 2250},
	{"Try-out: Bram Kuipers", "ser_cabaret", 1950},
	{"Assepoester, poppentheater (6+)", "ser_familie", 1550},
}

var foyerWorks = []production{
	{"Late Night Trio", "ser_late_night", 1750},
	{"Jazz na elven: Kwintet Marnix", "ser_late_night", 1650},
	{"Jazz na elven: Noor & de Nachtvlinders", "ser_late_night", 1650},
	{"Open bak: nieuwe cabaretiers", "ser_late_night", 1250},
	{"Nachtsalon: gedichten en piano", "ser_late_night", 1350},
	{"Tango tot één uur", "ser_late_night", 1550},
	{"Elektronica in de foyer: Vlier", "ser_late_night", 1450},
	{"Fluistersessie: Jip & Oda", "ser_late_night", 1450},
	{"Klezmer na middernacht", "ser_late_night", 1650},
	{"Singer-songwriters van de stad", "ser_late_night", 1350},
	{"Nachtsalon: verhalen uit de coulissen", "ser_late_night", 1350},
}

// clubWorks last until about three in the morning.
var clubWorks = []production{
	{"Nacht van de soul: band en dj", "ser_club", 1950},
	{"Disco Demokratie", "ser_club", 1650},
	{"Afrobeat in de kelder: Kofi & The Locks", "ser_club", 1950},
	{"Techno onder de Waag", "ser_club", 1850},
	{"Salsa tot sluitingstijd", "ser_club", 1450},
	{"Britpopnacht", "ser_club", 1450},
}

// lunchWorks are free lunch concerts.
var lunchWorks = []production{
	{"Lunchconcert: studenten van het conservatorium", "ser_lunch", 0},
	{"Lunchconcert: blazers van de Amstelfilharmonie", "ser_lunch", 0},
	{"Lunchconcert: strijkkwartet in opleiding", "ser_lunch", 0},
	{"Lunchconcert: harp en fluit", "ser_lunch", 0},
}
