/* A baseline for the fast core: Metromania in plain C, four companies, ruleset `print`, the set `box`, every decision
 * uniform over all legal moves. It plays one variant only and everything about it is a constant, which the core cannot
 * afford; it draws its own games (splitmix64 instead of separate Philox streams), so they are alike, not the same.
 *
 * Two programs in one source:
 *   cc -O3 -march=native -shared -fPIC             play() scores every game and keeps the sums of what came of them
 *   the same with -DROWS                           play() fills the four tables of the core as well, byte for byte in
 *                                                  their layout: lead, short supply, faults, sections, fewest changes
 *
 * Ids in comments are those of the rules page.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#ifdef __BMI2__
#include <immintrin.h>
#endif
#ifndef ROWS
#define ROWS 0
#endif
#define EXPORTED __attribute__((visibility("default")))

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t i8;
typedef int16_t i16;
typedef int64_t i64;

EXPORTED const char variant[] = "print-4p", board[] = "box";

enum { SIDE = 5, SECTOR = SIDE * SIDE, MOST_VERTICES = 256, MOST_CELLS = 352, MOST_EDGES = 576 };
enum { COMPANIES = 4, LINES = 8, TUNNELS = 18, STATIONS = 30, DIG = 3, END_LINES = 5, TRIPS = 7 };
enum { TRIP_POINTS = 3, OWN_MARKER = 3, PARK_LAKE = 5, PENALTY = 6, CHANGE_MINUTES = 3 };
enum { BOTH_LINES, NO_STATIONS, ENOUGH_LINES, DEADLOCK, NO_END = -1 };
enum { LAYOUTS = 720 * 729, DIGGABLE = 150 - 7 + 24 };

/* Kinds of cells: 0 blank, 1-3 spots (R, C, E), WATER lake or park, START, END + side of the frame. */
enum { WATER = 4, START_CELL = 5, END_CELL = 8 };

static const char *FRAME = "S.ESE";
static const char *PIECES[6] = { /* boards/box.toml, row by row from the centre of the city */
    "." ".C." "....." ".R.E.R." ".....C...",
    "." ".E." "..L.." "..LLL.." ".......R.",
    "." ".C." "..P.." "..PP..." ".E.......",
    "." ".R." "....." "......." ".C.....E.",
    "." ".E." "..C.." "..E...." ".....C...",
    "." "..." ".R..." "......." ".......R.",
};
static const int DQ[6] = {1, 0, -1, -1, 0, 1}, DR[6] = {0, 1, 1, 0, -1, -1};

/* ---------------------------------------------------------------------------------------------- the city, made once
 * A slot is one way to dig at a vertex: bit 2 * direction + which of the two cells along that edge. */

typedef struct { u16 to, edge, cell[2]; } Way;
static Way way[MOST_VERTICES][8];
static u8 corner[MOST_CELLS][4], frame_kind[MOST_CELLS], end_number[MOST_CELLS], neighbour[MOST_VERTICES][8];
static u16 slot[MOST_CELLS][4];    /* slots of a cell at each of its corners */
static u16 ahead[6];               /* D2: slots straight on and slightly aside */
static u8 touching[MOST_CELLS];    /* M2: how many cells share a corner with a cell, itself too */
static u16 touch[MOST_CELLS][13];
static u8 end_side[MOST_VERTICES][2]; /* sides of the two groups of end slots at a border vertex */
static u32 all_ends[MOST_VERTICES];   /* those slots: group 0 low half, group 1 high half */
static u8 start_to[64], start_direction[64], start_portal[64], start_side[64];
static u16 start_edge[64];
static u64 far_starts[6], far_ends[6]; /* B2, D4: for a side, the starts (two ways each) and ends far from it */
static int vertices, cells, edges, city_vertices, city_cells, starts, ends;
static u16 sector_cell[6][3][SECTOR];  /* [sector][turns][cell of a piece] */
static u8 piece_kind[6][SECTOR], piece_order[720][6], deal[600][4][3], hands[24][4];
static int deals;
static int vertex_at[4 * SIDE + 8][4 * SIDE + 8], cell_at[4 * SIDE + 8][4 * SIDE + 8][2];
#define VERTEX(q, r) vertex_at[(q) + 2 * SIDE + 2][(r) + 2 * SIDE + 2]

static int inside(int q, int r) { return abs(q) <= SIDE && abs(r) <= SIDE && abs(q + r) <= SIDE; }
static int is_far(int side, int from) { int d = (side - from + 6) % 6; return d >= 2 && d <= 4; }

static void make_lattice(void) {
    int vq[MOST_VERTICES], vr[MOST_VERTICES];
    static int edge_of[MOST_VERTICES][MOST_VERTICES], along[MOST_EDGES][2], count[MOST_EDGES];
    memset(vertex_at, -1, sizeof vertex_at);
    memset(edge_of, -1, sizeof edge_of);
    for (int r = -SIDE; r <= SIDE; r++) for (int q = -SIDE; q <= SIDE; q++) if (inside(q, r)) {
        VERTEX(q, r) = vertices; vq[vertices] = q; vr[vertices++] = r;
    }
    city_vertices = vertices;
    int frame = 0;
    for (int i = 0; i < SIDE; i++) frame += 6 * (FRAME[i] != '.');
    vertices = city_vertices + frame + 1; /* the last one, like the last cell and edge, is nowhere */
    for (int v = 0; v < city_vertices; v++) for (int d = 0; d < 3; d++) {
        int q = vq[v] + DQ[d], r = vr[v] + DR[d];
        if (inside(q, r)) { int w = VERTEX(q, r); edge_of[v][w] = edge_of[w][v] = edges++; }
    }
    for (int r = -SIDE; r <= SIDE; r++) for (int q = -SIDE; q <= SIDE; q++) for (int t = 0; t < 2; t++) {
        int at[3][2] = {{q + t, r}, {q + 1 - t, r + t}, {q + t, r + 1}};
        if (!inside(at[0][0], at[0][1]) || !inside(at[1][0], at[1][1]) || !inside(at[2][0], at[2][1])) continue;
        for (int i = 0; i < 3; i++) corner[cells][i] = VERTEX(at[i][0], at[i][1]);
        cell_at[q + 2 * SIDE + 2][r + 2 * SIDE + 2][t] = cells;
        for (int i = 0; i < 3; i++) for (int j = i + 1; j < 3; j++) {
            int e = edge_of[corner[cells][i]][corner[cells][j]];
            along[e][count[e]++] = cells;
        }
        cells++;
    }
    city_cells = cells;
    cells = city_cells + frame + 1;
    int city_edges = edges;
    edges = city_edges + 2 * frame + 1;
    for (int v = 0; v < MOST_VERTICES; v++) for (int d = 0; d < 8; d++)
        way[v][d] = (Way){vertices - 1, edges - 1, {cells - 1, cells - 1}};
    for (int v = 0; v < city_vertices; v++) for (int d = 0; d < 6; d++) {
        int q = vq[v] + DQ[d], r = vr[v] + DR[d];
        if (!inside(q, r)) continue;
        int w = VERTEX(q, r), e = edge_of[v][w];
        way[v][d] = (Way){w, e, {along[e][0], count[e] > 1 ? along[e][1] : cells - 1}};
    }
    for (int c = 0; c < MOST_CELLS; c++) frame_kind[c] = WATER;
    for (int c = city_cells; c < MOST_CELLS; c++) for (int i = 0; i < 4; i++) corner[c][i] = vertices - 1;
    for (int v = 0; v < city_vertices; v++) for (int d = 0; d < 6; d++) for (int x = 0; x < 2; x++) {
        int c = way[v][d].cell[x];
        for (int i = 0; c < city_cells && i < 3; i++) if (corner[c][i] == v) slot[c][i] |= 1u << (2 * d + x);
    }
    for (int d = 0; d < 6; d++) ahead[d] = 3u << 2 * ((d + 5) % 6) | 3u << 2 * d | 3u << 2 * ((d + 1) % 6);
    for (int a = 0; a < city_cells; a++) for (int b = 0; b < city_cells; b++) {
        int shared = 0;
        for (int i = 0; i < 9; i++) shared |= corner[a][i / 3] == corner[b][i % 3];
        if (shared) touch[a][touching[a]++] = b;
    }
}

static void make_frame(void) { /* G7: starts and ends, each a cell outside the city on two border vertices */
    int j = 0, city_edges = edges - 1 - 2 * (vertices - 1 - city_vertices);
    for (int k = 0; k < 6; k++) for (int i = 0; i < SIDE; i++) {
        if (FRAME[i] == '.') continue;
        int a = (k + 1) % 6, b = (k + 2) % 6, portal = city_vertices + j, cell = city_cells + j;
        int q[2] = {SIDE * DQ[k] + i * DQ[b]}, r[2] = {SIDE * DR[k] + i * DR[b]};
        q[1] = q[0] + DQ[b]; r[1] = r[0] + DR[b];
        int pq = q[0] + DQ[a], pr = r[0] + DR[a];
        corner[cell][0] = portal; corner[cell][1] = VERTEX(q[0], r[0]); corner[cell][2] = VERTEX(q[1], r[1]);
        for (int x = 0; x < 2; x++) {
            int d = 0, v = VERTEX(q[x], r[x]), edge = city_edges + 2 * j + x;
            while (DQ[d] != q[x] - pq || DR[d] != r[x] - pr) d++;
            if (FRAME[i] == 'S') {
                int s = 2 * starts + x;
                start_to[s] = v; start_direction[s] = d; start_edge[s] = edge; start_portal[s] = portal; start_side[s] = k;
            } else {
                int back = (d + 3) % 6, group = all_ends[v] & 0xffff && end_side[v][0] != k;
                way[v][back].to = portal; way[v][back].edge = edge; way[v][back].cell[0] = cell;
                slot[cell][1 + x] = 1u << 2 * back;
                end_side[v][group] = k;
                all_ends[v] |= (1u << 2 * back) << 16 * group;
            }
        }
        for (int from = 0; from < 6; from++) if (is_far(k, from)) {
            if (FRAME[i] == 'S') far_starts[from] |= 3ull << (2 * starts); else far_ends[from] |= 1ull << ends;
        }
        if (FRAME[i] == 'S') { frame_kind[cell] = START_CELL; starts++; }
        else { frame_kind[cell] = END_CELL + k; end_number[cell] = ends++; }
        j++;
    }
    for (int v = 0; v < MOST_VERTICES; v++) for (int d = 0; d < 8; d++) neighbour[v][d] = way[v][d].to;
}

static void make_sectors(void) { /* G4: where each cell of a piece lies in each sector, unturned and turned */
    for (int k = 0; k < 6; k++) for (int t = 0; t < 3; t++) for (int j = 0, n = 0; j < SIDE; j++) for (int x = 0; x < 2 * j + 1; x++) {
        int down = x % 2, b = x / 2, a = down ? j - 1 - b : j - b, c = down ? SIDE - 2 - a - b : SIDE - 1 - a - b;
        for (int z = 0; z < t; z++) { int was = a; a = c; c = b; b = was; }
        int at[3][2] = {{a + down, b}, {a + 1 - down, b + down}, {a + down, b + 1}}, v[3];
        for (int z = 0; z < 3; z++)
            v[z] = VERTEX(at[z][0] * DQ[k] + at[z][1] * DQ[(k + 1) % 6], at[z][0] * DR[k] + at[z][1] * DR[(k + 1) % 6]);
        for (int cell = 0; cell < city_cells; cell++) {
            int same = 0;
            for (int z = 0; z < 9; z++) same += v[z / 3] == corner[cell][z % 3];
            if (same == 3) sector_cell[k][t][n] = cell;
        }
        n++;
    }
    for (int p = 0; p < 6; p++) for (int i = 0; i < SECTOR; i++) switch (PIECES[p][i]) {
        case 'R': piece_kind[p][i] = 1; break;
        case 'C': piece_kind[p][i] = 2; break;
        case 'E': piece_kind[p][i] = 3; break;
        case 'L': piece_kind[p][i] = 6; break;
        case 'P': piece_kind[p][i] = 7; break;
    }
}

static void make_deals(void) { /* G6: all orders of the pieces; S2: three markers each, one of a kind, no letter twice */
    for (int number = 0; number < 720; number++) for (int i = 0, rest = number, of = 720, left = 63; i < 6; i++) {
        of /= 6 - i;
        int nth = rest / of, bits = left;
        rest %= of;
        while (nth--) bits &= bits - 1;
        piece_order[number][i] = __builtin_ctz(bits);
        left &= ~(bits & -bits);
    }
    for (int code = 0, n = 0; code < 256; code++) {
        int a = code >> 6, b = code >> 4 & 3, c = code >> 2 & 3, d = code & 3;
        if ((1 << a | 1 << b | 1 << c | 1 << d) == 15) { hands[n][0] = a; hands[n][1] = b; hands[n][2] = c; hands[n++][3] = d; }
    }
    static const u8 letters[3][4] = {{0, 2, 3, 5}, {0, 1, 3, 4}, {1, 2, 4, 5}}; /* S1: of kinds R, C, E */
    for (int x = 0; x < 24; x++) for (int y = 0; y < 24; y++) {
        int good = 1;
        for (int s = 0; s < 4; s++) {
            u8 *hand = deal[deals][s];
            hand[0] = letters[0][s]; hand[1] = letters[1][hands[x][s]]; hand[2] = letters[2][hands[y][s]];
            good &= hand[0] != hand[1] && hand[0] != hand[2] && hand[1] != hand[2];
        }
        deals += good;
    }
}

/* ---------------------------------------------------------------------------------------------------------- a game */

#define EVERY_LANE 0x0001000100010001ull
typedef struct {
    u64 dice, free_starts, free_ends;
    int supply;
    u32 started, ended;
    u64 held[4];                    /* lanes of the kinds of markers in hand; the blank lane is always on */
    u32 stops[8], end_sides[8];     /* bits of places on the path; D4: sides a line may end on */
    u16 open[8], own[8], exits[8];  /* slots at the terminus: open by D1-D3, closed by the own path, ends */
    int points[4];
    i16 marker_cell[12];
    u16 last_edge[8];
    u8 terminus[8], length[8], side[8], turns[4], letter[12], partner[12];
    u64 lanes[MOST_VERTICES];       /* free slots at a vertex: 16 bits each for blank, R, C and E cells */
    u64 banned[4][MOST_VERTICES];   /* M2: slots closed to a company, as lanes */
    u32 end_slots[MOST_VERTICES];
    u16 bans;
    u8 ban[600][2];
    u8 lines_at[MOST_VERTICES], gone_on[MOST_VERTICES], station[MOST_VERTICES], terminus_at[MOST_VERTICES];
    u8 lines_along[MOST_EDGES], path[8][20], place[MOST_VERTICES][8];
    int reason, decisions, turn;
#if ROWS
    u32 layout;
    int passes, start_overflows, end_overflows, short_supply, two_reasons, leader, leader_since, lead_changes, scored;
    int made[4];
    i8 end_at[8];
#endif
} Game;
static Game g;
static u8 kind[MOST_CELLS], spots[MOST_VERTICES], water[2][64];
static int waters[2];

static inline u64 next_random(u64 *dice) {
    u64 z = (*dice += 0x9E3779B97F4A7C15ull);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
}
static inline int below(u64 *dice, int n) { return (int)(((next_random(dice) >> 32) * (u64)n) >> 32); }

static inline int kth_bit(u64 bits, int k) {
#ifdef __BMI2__
    return __builtin_ctzll(_pdep_u64(1ull << k, bits));
#else
    while (k--) bits &= bits - 1;
    return __builtin_ctzll(bits);
#endif
}

static void set_up(u64 seed) {
    g.dice = seed * 0xD1342543DE82EF95ull + 1;
    u32 layout = below(&g.dice, LAYOUTS), turnings = layout % 729;
    memcpy(kind, frame_kind, cells);
    memset(spots, 0, vertices);
    memset(g.lanes, 0, 8 * vertices);
    memcpy(g.end_slots, all_ends, 4 * vertices);
    waters[0] = waters[1] = 0;
    for (int k = 0, of = 243; k < 6; k++, of /= 3) {
        const u16 *to = sector_cell[k][turnings / of % 3];
        const u8 *piece = piece_kind[piece_order[layout / 729][k]];
        for (int x = 0; x < SECTOR; x++) {
            int c = to[x], what = piece[x];
            if (what >= WATER) {
                kind[c] = WATER;
                for (int z = 0; z < 3; z++) water[what - 6][waters[what - 6]++] = corner[c][z];
                continue;
            }
            kind[c] = what;
            for (int z = 0; z < 3; z++) {
                int v = corner[c][z];
                spots[v] += what != 0;
                g.lanes[v] |= (u64)slot[c][z] << 16 * what;
            }
        }
    }
    for (int i = 0; i < g.bans; i++) g.banned[g.ban[i][0]][g.ban[i][1]] = 0;
    g.bans = 0;
    memset(g.lines_at, 0, vertices); memset(g.gone_on, 0, vertices); memset(g.station, 0, vertices);
    memset(g.terminus_at, 0, vertices); memset(g.lines_along, 0, edges);
    g.lines_at[vertices - 1] = 255;
    memset(g.stops, 0, sizeof g.stops); memset(g.end_sides, 0, sizeof g.end_sides); memset(g.length, 0, 8);
    memset(g.turns, 0, 4); memset(g.held, 255, sizeof g.held); memset(g.marker_cell, -1, sizeof g.marker_cell);
    memset(g.points, 0, sizeof g.points); memset(g.open, 0, sizeof g.open); memset(g.exits, 0, sizeof g.exits);
    memset(g.terminus, 0, 8);
    g.supply = STATIONS;
    g.started = g.ended = 0;
    g.free_starts = (1ull << (2 * starts)) - 1;
    g.free_ends = (1ull << ends) - 1;
    int which = below(&g.dice, deals), order = below(&g.dice, 24);
    u8 first[6] = {255, 255, 255, 255, 255, 255};
    for (int i = 0; i < 12; i++) {
        int letter = g.letter[i] = deal[which][hands[order][i / 3]][i % 3], other = first[letter];
        if (other != 255) { g.partner[i] = other; g.partner[other] = i; }
        first[letter] = i;
    }
#if ROWS
    g.layout = layout;
    g.passes = g.start_overflows = g.end_overflows = g.short_supply = g.two_reasons = g.scored = 0;
    g.leader = -1;
    g.leader_since = g.lead_changes = 0;
    memset(g.made, 0, sizeof g.made);
    memset(g.end_at, -1, sizeof g.end_at);
#endif
}

/* ST1, ST2: how many stations a tunnel would make */
static inline int stations_needed(int line, int u, int w, int edge) {
    u8 along = g.lines_along[edge];
    return (!g.station[u] && (g.lines_along[g.last_edge[line]] & ~along & g.gone_on[u] & ~(1u << line)))
         + (!g.station[w] && (g.lines_at[w] & ~along));
}

/* D5, with fewer than two stations left */
static __attribute__((noinline)) u32 affordable(int line, u32 slots) {
    int u = g.terminus[line];
    for (u32 rest = slots; rest; rest &= rest - 1) {
        int b = __builtin_ctz(rest);
        const Way *to = &way[u][b >> 1];
        if (stations_needed(line, u, to->to, to->edge) > g.supply) slots &= ~(1u << b);
    }
    return slots;
}

/* D1-D4, M1, M2: the slots by which a line may be dug on */
static inline u32 ways_on_with_stations(int line, u64 held) {
    int u = g.terminus[line];
    u64 free = g.lanes[u] & held & ~g.banned[line >> 1][u];
    free |= free >> 32;
    free |= free >> 16;
    return ((u32)free | g.exits[line]) & g.open[line];
}
static inline u32 ways_on(int line, u64 held) {
    u32 slots = ways_on_with_stations(line, held);
    return __builtin_expect(g.supply < 2, 0) ? affordable(line, slots) : slots;
}

static inline u32 exits_at(int line, int v) { /* D4 */
    u32 free = g.end_slots[v];
    u32 first = -(g.end_sides[line] >> end_side[v][0] & 1), second = -(g.end_sides[line] >> end_side[v][1] & 1);
    return ((first & free) | (second & free >> 16)) & 0xfff;
}
static void note_end_sides(int line) { /* D4: far sides only, while they have a free end */
    int k = g.side[line];
    g.end_sides[line] = g.free_ends & far_ends[k] ? 1u << (k + 2) % 6 | 1u << (k + 3) % 6 | 1u << (k + 4) % 6 : 63u;
}

static u64 starts_of(int line) { /* B1, B2, D5 */
    u64 free = g.free_starts;
    if (line & 1) { u64 far = free & far_starts[g.side[line ^ 1]]; if (far) free = far; }
    if (!g.supply) for (u64 rest = free; rest; rest &= rest - 1) {
        int i = __builtin_ctzll(rest), w = start_to[i];
        if (g.lines_at[w] && !g.station[w]) free &= ~(1ull << i);
    }
    return free;
}

static inline u32 station_places(int line) { /* I1: before the last station, of a line that has not ended */
    u32 stops = g.stops[line] | 1, unfinished = -(g.started >> line & ~(g.ended >> line) & 1);
    return ((1u << (31 - __builtin_clz(stops))) - 1) & ~stops & unfinished;
}

static inline void place_station(int seat, int v) { /* ST5 */
    g.station[v] = STATIONS - g.supply + 1;
    g.supply--;
    g.points[seat] += spots[v];
#if ROWS
    g.scored |= spots[v];
    g.made[seat]++;
#endif
    for (u32 rest = g.lines_at[v]; rest; rest &= rest - 1) {
        int line = __builtin_ctz(rest);
        g.stops[line] |= 1u << g.place[v][line];
    }
    for (u32 rest = g.terminus_at[v]; rest; rest &= rest - 1) {
        int line = __builtin_ctz(rest);
        g.open[line] = ~g.own[line];
    }
}

static inline void advance(int line, int u, int w, int edge, int cell, int d, int ended) {
    u8 bit = 1u << line, along = g.lines_along[edge];
    int n = g.length[line];
    int splits = !g.station[u] && n > 1 && (g.lines_along[g.last_edge[line]] & ~along & g.gone_on[u] & ~bit);
    int meets = !g.station[w] && (g.lines_at[w] & ~along);
    g.path[line][n] = w;
    g.place[w][line] = n;
    g.length[line] = n + 1;
    g.lines_at[w] |= bit;
    g.gone_on[u] |= bit;
    g.lines_along[edge] = along | bit;
    g.terminus[line] = w;
    g.last_edge[line] = edge;
    g.terminus_at[u] &= ~bit;
    u16 own = 0; /* D3 */
    for (int i = 0; i < 6; i++) own |= (g.lines_at[neighbour[w][i]] >> line & 1) * (3u << 2 * i);
    if (ended || n >= TUNNELS) g.open[line] = 0;
    else {
        g.terminus_at[w] |= bit;
        g.own[line] = own;
        g.exits[line] = exits_at(line, w);
        g.open[line] = (g.station[w] ? 0xfff : ahead[d]) & ~own;
    }
    g.stops[line] |= (u32)(g.station[w] != 0) << n;
    for (int i = 0; i < 3; i++) g.lanes[corner[cell][i]] &= ~(slot[cell][i] * EVERY_LANE);
    if (splits) place_station(line >> 1, u);
    if (meets) place_station(line >> 1, w);
}

static void start_line(int line, int i) {
    int portal = start_portal[i];
    g.started |= 1u << line;
    g.free_starts &= ~(3ull << (i & ~1));
    g.side[line] = start_side[i];
#if ROWS
    if (line & 1) g.start_overflows += !is_far(start_side[i], g.side[line ^ 1]);
#endif
    g.path[line][0] = portal;
    g.place[portal][line] = 0;
    g.lines_at[portal] |= 1u << line;
    g.length[line] = 1;
    note_end_sides(line);
    advance(line, portal, start_to[i], start_edge[i], cells - 1, start_direction[i], 0);
}

static inline int dig(int line, int b) { /* returns the kind of the cell dug through */
    int u = g.terminus[line], d = b >> 1;
    const Way *to = &way[u][d];
    int c = to->cell[b & 1], what = kind[c];
    advance(line, u, to->to, to->edge, c, d, what >= END_CELL);
    if (!what) return 0;
    if (what < WATER) { /* M1; M2: spots of the partner's kind that touch the cell are closed to its holder */
        int marker = (line >> 1) * 3 + what - 1, other = g.partner[marker], holder = other / 3, kind2 = other % 3 + 1;
        g.held[line >> 1] &= ~(0xffffull << 16 * what);
        g.marker_cell[marker] = c;
        if (g.marker_cell[other] < 0) for (int i = 0; i < touching[c]; i++) {
            int c2 = touch[c][i];
            if (kind[c2] == kind2) for (int z = 0; z < 3; z++) {
                int v = corner[c2][z];
                if (!g.banned[holder][v]) { g.ban[g.bans][0] = holder; g.ban[g.bans++][1] = v; }
                g.banned[holder][v] |= (u64)slot[c2][z] << 16 * kind2;
            }
        }
        return what;
    }
    g.ended |= 1u << line;
    g.free_ends &= ~(1ull << end_number[c]);
#if ROWS
    g.end_at[line] = what - END_CELL;
    g.end_overflows += !is_far(what - END_CELL, g.side[line]);
#endif
    for (int i = 1; i < 3; i++) { u32 slots = slot[c][i]; g.end_slots[corner[c][i]] &= ~(slots | slots << 16); }
    for (int other = 0; other < LINES; other++) if (g.started >> other & 1) {
        note_end_sides(other);
        g.exits[other] = exits_at(other, g.terminus[other]);
    }
    return what;
}

static int enough_lines(void) { /* P2, P3 */
    int started = __builtin_popcount(g.started), going_on = 0;
    if (started < END_LINES) return 0;
    for (int line = 0; line < LINES; line++) going_on += ways_on(line, g.held[line >> 1]) != 0;
    return started - going_on >= END_LINES;
}

#if ROWS
static void note_lead(void) { /* the company alone in front, until another one is */
    int best = -1, second = -1, leader = -1;
    for (int seat = 0; seat < COMPANIES; seat++) {
        if (g.points[seat] > best) { second = best; best = g.points[seat]; leader = seat; }
        else if (g.points[seat] > second) second = g.points[seat];
    }
    if (best > second && leader != g.leader) { g.lead_changes += g.leader >= 0; g.leader = leader; g.leader_since = g.turn; }
}
#endif

/* One turn: up to three tunnels, or an intermediate station. Returns how many decisions it took, 0 for a pass. */
static inline int play_turn(int seat, int watch, int *fired) {
    int first = !g.turns[seat], line = 2 * seat, done = 0, decisions = 0;
    u64 may_lay = ~0ull; /* M1: one marker a turn */
    g.turns[seat] = 1;
    while (done < DIG) {
        u64 held = g.held[seat] & may_lay, starting = 0;
        u64 moves = ways_on(line, held) | ways_on(line + 1, held) << 12;
        u32 both = g.started >> line & 3;
        if (both != 3 && (!first || !both)) starting = starts_of(line + (both & 1));
        int starts_here = __builtin_popcountll(starting);
#if ROWS
        if (g.supply == 1 && (moves || starts_here || !done)) {
            u64 more = ways_on_with_stations(line, held) | (u64)ways_on_with_stations(line + 1, held) << 12;
            g.short_supply += (more & ~moves) != 0;
        }
#endif
        moves |= ((u64)station_places(line) << 24 | (u64)station_places(line + 1) << 44) & -(u64)(!done & !first & (g.supply > 0));
        int others = __builtin_popcountll(moves), all = others + starts_here;
        if (!all) break;
        decisions++;
        int k = below(&g.dice, all);
        done++;
        if (k < others) {
            int b = kth_bit(moves, k);
            if (b >= 24) { place_station(seat, b < 44 ? g.path[line][b - 24] : g.path[line + 1][b - 44]); done = DIG; }
            else {
                int number = b >= 12, what = dig(line + number, b - 12 * number);
                if (what && what < WATER) may_lay = 0xffff;
                else if (what && g.supply > 0) { /* I3 */
                    u32 places = ~g.stops[line + number] & ((1u << (g.length[line + number] - 1)) - 2);
                    if (places) {
                        int count = __builtin_popcount(places), bonus = below(&g.dice, count + 1);
                        decisions++;
                        if (bonus < count) place_station(seat, g.path[line + number][kth_bit(places, bonus)]);
                    }
                }
            }
        } else start_line(line + (both & 1), kth_bit(starting, k - others));
        if (watch && *fired < 0) {
            if ((g.ended >> line & 3) == 3) *fired = BOTH_LINES;
            else if (!g.supply) *fired = NO_STATIONS;
        }
    }
    return decisions;
}

static void play_game(void) {
    int seat = 0, passes = 0, trigger = NO_END, last_turns = -1;
    g.decisions = 0;
    g.turn = 0;
    for (;;) {
        int fired = NO_END;
        g.turn++;
        int decisions = play_turn(seat, trigger < 0, &fired);
        passes = decisions ? 0 : passes + 1;
        g.decisions += decisions + !decisions;
#if ROWS
        g.passes += !decisions;
        if (g.scored) { note_lead(); g.scored = 0; }
        if (fired >= 0) g.two_reasons = enough_lines() || (fired == BOTH_LINES && !g.supply);
#endif
        if (trigger < 0) {
            if (fired < 0 && enough_lines()) fired = ENOUGH_LINES;
            if (fired < 0 && passes >= COMPANIES) { trigger = DEADLOCK; break; } /* T4 */
        }
        if (last_turns >= 0) { if (!--last_turns) break; }
        else if (fired >= 0) { trigger = fired; last_turns = COMPANIES - 1; } /* P5 */
        seat = (seat + 1) & 3;
    }
    g.reason = trigger;
}

/* --------------------------------------------------------------------------------------------------------- scoring
 * The stops of a company's two lines are the bits of one word, line by line in halves, so that a ride is a shift; a
 * trip is a wave of minutes over four such words. */

typedef struct { int minutes, involved, changes, sections, fault; } Trip;
enum { NOT_PLACED, NO_STATION, NO_ROUTE, POSSIBLE = -1 };
static u64 stops_of[32][4], all_stops[4], wave[140][4], route[144][4];
static u8 station_of[4][64];
static int score[4], kept[4], gained[TRIPS][4];
static Trip trips[TRIPS];

static void build_network(void) {
    memset(stops_of, 0, sizeof stops_of);
    for (int s = 0; s < COMPANIES; s++) {
        all_stops[s] = 0;
        for (int l = 0; l < 2; l++) {
            int line = 2 * s + l, rank = 0;
            for (u32 rest = g.stops[line]; rest; rest &= rest - 1, rank++) {
                int z = g.station[g.path[line][__builtin_ctz(rest)]] - 1;
                station_of[s][32 * l + rank] = z;
                stops_of[z][s] |= 1ull << (32 * l + rank);
            }
            all_stops[s] |= ((1ull << rank) - 1) << (32 * l);
        }
    }
}

#if ROWS
/* The changes on the fastest route that has the fewest: stop sets by minute, with one change more each time round. */
static __attribute__((noinline)) int fewest_changes(int minutes) {
    static u64 reached[2][144][4];
    memset(reached[0], 0, 32 * (minutes + 1));
    memcpy(reached[0][0], route[0], 32);
    for (int changes = 0;; changes++) {
        u64 (*now)[4] = reached[changes & 1], (*next)[4] = reached[~changes & 1];
        for (int t = 1; t <= minutes; t++) for (int s = 0; s < 4; s++)
            now[t][s] |= ((now[t - 1][s] << 1) | (now[t - 1][s] >> 1)) & route[t][s];
        if (now[minutes][0] | now[minutes][1] | now[minutes][2] | now[minutes][3]) return changes;
        memset(next, 0, 32 * (minutes + 1));
        for (int t = 0; t + CHANGE_MINUTES <= minutes; t++) for (int s = 0; s < 4; s++)
            for (u64 rest = now[t][s]; rest; rest &= rest - 1) {
                int z = station_of[s][__builtin_ctzll(rest)];
                for (int q = 0; q < 4; q++) next[t + CHANGE_MINUTES][q] |= stops_of[z][q] & route[t + CHANGE_MINUTES][q];
            }
    }
}
#endif

static void find_routes(u32 from, u32 to, Trip *trip) { /* TT3 */
    u64 now[4] = {0}, goal[4] = {0}, left[4];
    for (u32 x = from; x; x &= x - 1) for (int s = 0; s < 4; s++) now[s] |= stops_of[__builtin_ctz(x)][s];
    for (u32 x = to; x; x &= x - 1) for (int s = 0; s < 4; s++) goal[s] |= stops_of[__builtin_ctz(x)][s];
    for (int s = 0; s < 4; s++) left[s] = all_stops[s] & ~now[s];
    u32 changed = 0;
    int t = 0, last_change = 0;
    memset(route, 0, CHANGE_MINUTES * 32);
    for (;;) {
        memcpy(wave[t], now, 32);
        if ((now[0] & goal[0]) | (now[1] & goal[1]) | (now[2] & goal[2]) | (now[3] & goal[3])) break;
        u64 change[4] = {0};
        for (int s = 0; s < 4; s++) for (u64 x = now[s]; x; x &= x - 1) {
            int z = station_of[s][__builtin_ctzll(x)];
            if (!(changed >> z & 1)) {
                changed |= 1u << z;
                for (int q = 0; q < 4; q++) change[q] |= stops_of[z][q];
                last_change = t + CHANGE_MINUTES;
            }
        }
        memcpy(route[t + CHANGE_MINUTES], change, 32);
        t++;
        u64 any = 0;
        for (int s = 0; s < 4; s++) {
            now[s] = ((now[s] << 1) | (now[s] >> 1) | route[t][s]) & left[s];
            left[s] &= ~now[s];
            any |= now[s];
        }
        if (!any && t >= last_change) { trip->minutes = -1; return; }
    }
    trip->minutes = t;
    int involved = 0;
    u64 used[4] = {0};
    memset(route, 0, 32 * t); /* from here on: the stops of all fastest routes, by minute */
    for (int s = 0; s < 4; s++) route[t][s] = now[s] & goal[s];
    for (; t > 0; t--) {
        u32 done = 0;
        for (int s = 0; s < 4; s++) {
            u64 here = route[t][s], up = (here << 1) & wave[t - 1][s], down = (here >> 1) & wave[t - 1][s];
            if (up | down) { involved |= 1 << s; route[t - 1][s] |= up | down; }
#if ROWS
            used[s] |= up >> 1 | down;
#endif
            if (t >= CHANGE_MINUTES) for (; here; here &= here - 1) {
                int z = station_of[s][__builtin_ctzll(here)];
                if (!(done >> z & 1)) {
                    done |= 1u << z;
                    for (int q = 0; q < 4; q++)
                        route[t - CHANGE_MINUTES][q] |= stops_of[z][q] & wave[t - CHANGE_MINUTES][q];
                }
            }
        }
    }
    trip->involved = involved;
#if ROWS
    int stops = 0;
    for (int s = 0; s < 4; s++) {
        trip->sections += __builtin_popcountll(used[s]);
        for (int m = 0; m <= trip->minutes; m++) stops += __builtin_popcountll(route[m][s]);
    }
    trip->changes = stops - trip->sections - 1; /* if there is one fastest route */
    if (trip->sections + CHANGE_MINUTES * trip->changes != trip->minutes) trip->changes = fewest_changes(trip->minutes);
#else
    (void)used;
#endif
}

static inline u32 stations_at(int cell) {
    u32 found = 0;
    for (int i = 0; i < 3; i++) { int z = g.station[corner[cell][i]]; if (z) found |= 1u << (z - 1); }
    return found;
}

static void score_game(void) {
    for (int s = 0; s < COMPANIES; s++) { /* L1 */
        int ended = __builtin_popcount(g.ended >> (2 * s) & 3);
        score[s] = kept[s] = ended == 2 ? g.points[s] : ended == 1 ? g.points[s] >> 1 : 0;
    }
    memset(gained, 0, sizeof gained);
    memset(trips, 0, sizeof trips);
    build_network();
    u8 marker[6][2], count[6] = {0};
    for (int i = 0; i < 12; i++) marker[g.letter[i]][count[g.letter[i]]++] = i;
    for (int q = 0; q < TRIPS; q++) {
        Trip *trip = &trips[q];
        u32 from = 0, to = 0;
        int a = -1, b = -1, guilty = 0;
        if (q < 6) {
            a = marker[q][0] / 3, b = marker[q][1] / 3;
            int at = g.marker_cell[marker[q][0]], other = g.marker_cell[marker[q][1]];
            from = at >= 0 ? stations_at(at) : 0;
            to = other >= 0 ? stations_at(other) : 0;
            if (!from) guilty |= 1 << a;
            if (!to) guilty |= 1 << b;
            trip->fault = at < 0 || other < 0 ? NOT_PLACED : from && to ? POSSIBLE : NO_STATION;
        } else {
            for (int i = 0; i < waters[0]; i++) from |= 1u << g.station[water[0][i]] >> 1;
            for (int i = 0; i < waters[1]; i++) to |= 1u << g.station[water[1][i]] >> 1;
            trip->fault = from && to ? POSSIBLE : NO_STATION;
        }
        if (!from || !to) trip->minutes = -1;
        else if (!(from & to)) {
            find_routes(from, to, trip);
            if (trip->minutes < 0) { trip->fault = NO_ROUTE; guilty = q < 6 ? 1 << a | 1 << b : 0; }
            else for (int s = 0; s < COMPANIES; s++) if (trip->involved >> s & 1) /* TT4 */
                gained[q][s] = q == 6 ? PARK_LAKE : TRIP_POINTS + (s == a || s == b ? OWN_MARKER : 0);
        }
        for (int s = 0; s < COMPANIES; s++) {
            gained[q][s] -= PENALTY * (guilty >> s & 1); /* TT5 */
            score[s] += gained[q][s];
        }
    }
}

/* -------------------------------------------------------------------------------------------------------- the rows */

#if ROWS
#pragma pack(push, 1)
typedef struct {
    u64 game; u32 layout; u8 status; i8 end_reason, end_seat; u16 turns, tunnels; float coverage; u8 stations_left,
    lines_ended, lines_blocked; i8 winner; i16 margin; u16 lead_changes; i16 decided_turn; u16 passes; u8 start_overflows,
    end_overflows; u16 short_supply; u8 two_reasons;
} GameRow;
typedef struct {
    u64 game; u8 seat, company, player, turns; u32 hand; i16 opening, score, station_points, kept_points, trip_points, penalties; u8 lines_ended,
    tunnels, stations, markers_placed, rank; float win_share;
} SeatRow;
typedef struct { u64 game; u8 trip; i16 minutes; i8 fault; u8 involved, changes; u16 sections; } TripRow;
typedef struct { u64 game; u8 seat, line; i8 start_side, start_cell, end_side, end_cell; u8 tunnels, stations, ended; i8 block_reason; } LineRow;
#pragma pack(pop)

static int block_reason(int line) { /* P2: no tunnel, no station, no marker, no cell */
    if (g.length[line] > TUNNELS) return 0;
    if (ways_on_with_stations(line, g.held[line >> 1])) return 1;
    u64 free = g.lanes[g.terminus[line]];
    free |= free >> 32;
    return ((free | free >> 16) & g.open[line]) != 0 ? 2 : 3;
}

static void write_rows(u64 number, GameRow *row, SeatRow *seats, TripRow *trip, LineRow *lines) {
    int tunnels = 0, blocked = 0, standing[4], best = -(1 << 30), winners = 0, top = -(1 << 30), next = -(1 << 30);
    for (int line = 0; line < LINES; line++) {
        int going = g.started & ~g.ended & 1u << line, stuck = going && !ways_on(line, g.held[line >> 1]);
        int built = g.started >> line & 1 ? g.length[line] - 1 : 0;
        tunnels += built;
        blocked += stuck;
        lines[line] = (LineRow){number, line >> 1, line & 1, g.started >> line & 1 ? g.side[line] : -1, 0, g.end_at[line],
            0, built, __builtin_popcount(g.stops[line]), g.ended >> line & 1, stuck ? block_reason(line) : -1};
    }
    for (int s = 0; s < COMPANIES; s++) { /* W1 */
        int built = lines[2 * s].tunnels + lines[2 * s + 1].tunnels;
        standing[s] = (score[s] * 8 + __builtin_popcount(g.ended >> (2 * s) & 3)) * 256 + built;
        if (standing[s] > best) best = standing[s];
        if (score[s] > top) { next = top; top = score[s]; } else if (score[s] > next) next = score[s];
    }
    for (int s = 0; s < COMPANIES; s++) winners |= (standing[s] == best) << s;
    for (int s = 0; s < COMPANIES; s++) {
        int gain = 0, loss = 0, placed = 0, rank = 1;
        for (int q = 0; q < TRIPS; q++) if (gained[q][s] > 0) gain += gained[q][s]; else loss -= gained[q][s];
        for (int i = 0; i < 3; i++) placed += g.marker_cell[3 * s + i] >= 0;
        for (int other = 0; other < COMPANIES; other++) rank += standing[other] > standing[s];
        seats[s] = (SeatRow){number, s, 0, s, 0, 0, 0, score[s], g.points[s], kept[s], gain, loss,
            __builtin_popcount(g.ended >> (2 * s) & 3), lines[2 * s].tunnels + lines[2 * s + 1].tunnels, g.made[s],
            placed, rank, rank == 1 ? 1.0f / __builtin_popcount(winners) : 0.0f};
    }
    for (int q = 0; q < TRIPS; q++)
        trip[q] = (TripRow){number, q, trips[q].minutes, trips[q].fault, trips[q].involved, trips[q].changes, trips[q].sections};
    int alone = __builtin_popcount(winners) == 1, winner = alone ? __builtin_ctz(winners) : -1;
    *row = (GameRow){number, g.layout, 0, g.reason, 0, g.turn, tunnels, (float)tunnels / DIGGABLE, g.supply,
        __builtin_popcount(g.ended), blocked, winner, top - next,
        g.lead_changes + (alone && g.leader >= 0 && g.leader != winner),
        !alone ? -1 : g.leader == winner ? g.leader_since : g.turn + 1,
        g.passes, g.start_overflows, g.end_overflows, g.short_supply, g.two_reasons};
}
#endif

/* Columns that the rows have room for and nothing is written into: how a game came about. */
EXPORTED const char left_out[] = "games.end_seat,seats.turns,seats.hand,seats.opening,lines.start_cell,lines.end_cell";

/* What both programs tell of their games, as sums: see `sums` for what they are of. */
EXPORTED const char sums[] = "turns,stations_left,lines_ended,score";

/* Plays games; with -DROWS into the tables games, seats, trips and lines. Returns the decisions made. */
EXPORTED i64 play(i64 first, i64 count, i64 *sum, void **tables) {
    static int ready;
    if (!ready) { make_lattice(); make_frame(); make_sectors(); make_deals(); ready = 1; }
    i64 decisions = 0;
    for (i64 i = 0; i < count; i++) {
        set_up(first + i);
        play_game();
        score_game();
        decisions += g.decisions;
        sum[0] += g.turn;
        sum[1] += g.supply;
        sum[2] += __builtin_popcount(g.ended);
        sum[3] += score[0] + score[1] + score[2] + score[3];
#if ROWS
        write_rows(first + i, (GameRow *)tables[0] + i, (SeatRow *)tables[1] + COMPANIES * i,
                   (TripRow *)tables[2] + TRIPS * i, (LineRow *)tables[3] + LINES * i);
#else
        (void)tables;
#endif
    }
    return decisions;
}
