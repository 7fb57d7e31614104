/* A baseline for the fast core: Metro in plain C, four players, a hand of one tile, no module, every decision uniform over
 * all legal moves. It keeps a line as joined stretches, as the core does; it plays one variant only, and draws its own
 * games (splitmix64 instead of Philox), so they are alike, not the same. Built as metromania.c is, with or without -DROWS.
 */
#include <stdint.h>
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
typedef int32_t i32;
typedef int64_t i64;

#include "metro_board.h"

EXPORTED const char variant[] = "metro-4p", board[] = ""; /* there is only one */
enum { PLAYERS = 4, NODES = ENTRIES + STOPS };

/* The position. A stretch is known by its first and last node; its length is kept at the first. */
static u16 itself[NODES], first_of[NODES], last_of[NODES];
static u8 length[NODES], supply[TILES], hand[PLAYERS], held, seat;
static u64 placed, reach, arrived;
static int next_tile, points[PLAYERS], decisions, turn;
#if ROWS
static int tiles_placed[PLAYERS], draws[PLAYERS], leader, leader_since, lead_changes;
static u8 to[STATIONS], line_tiles[STATIONS];
static i16 line_turn[STATIONS];
#endif

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

static void set_up(u64 *dice) {
    memcpy(last_of, itself, sizeof itself);
    memcpy(first_of, itself, sizeof itself);
    memset(length, 0, sizeof length);
    memcpy(supply, printed, TILES);
    memset(points, 0, sizeof points);
    for (int i = TILES - 1; i > 0; i--) {
        int j = below(dice, i + 1);
        u8 kept = supply[i];
        supply[i] = supply[j];
        supply[j] = kept;
    }
    memcpy(hand, supply, PLAYERS);
    next_tile = PLAYERS;
    held = 15;
    seat = 0;
    placed = arrived = 0;
    reach = EDGE_CELLS;
    decisions = 0;
    turn = 1;
#if ROWS
    memset(tiles_placed, 0, sizeof tiles_placed); memset(draws, 0, sizeof draws);
    memset(to, 0, sizeof to); memset(line_tiles, 0, sizeof line_tiles);
    leader = -1;
    leader_since = lead_changes = 0;
#endif
}

#if ROWS
static void note_lead(void) { /* the player alone in front, until another one is */
    int best = -1, second = -1, front = -1;
    for (int p = 0; p < PLAYERS; p++) {
        if (points[p] > best) { second = best; best = points[p]; front = p; }
        else if (points[p] > second) second = points[p];
    }
    if (best > second && front != leader) { lead_changes += leader >= 0; leader = front; leader_since = turn; }
}
#endif

static inline void lay(int kind, int cell) { /* X2: join four stretches; X11: score the lines that arrive */
    placed |= 1ull << cell;
    reach |= near_cells[cell];
    for (int side = 0; side < 4; side++) {
        int on = beyond[4 * cell + way_out[4 * kind + side]], first = first_of[4 * cell + side], last = last_of[on];
        last_of[first] = last;
        first_of[last] = first;
        length[first] += 1 + length[on];
    }
    int scored = 0;
    for (int side = 0; side < 4; side++) {
        int first = first_of[4 * cell + side], line = stop_at[first] - 1;
        if (line < 0) continue;
        int last = last_of[first];
        if (last < ENTRIES || (arrived >> line & 1) || line >= STATIONS) continue;
        int stop = last - ENTRIES, worth = (stop >= STATIONS ? 2 : 1) * length[first];
        arrived |= 1ull << line;
        points[owner[line]] += worth;
        scored = 1;
#if ROWS
        to[line] = stop + 1;
        line_tiles[line] = length[first];
        line_turn[line] = turn;
#endif
    }
#if ROWS
    tiles_placed[seat]++;
    if (scored) note_lead();
#else
    (void)scored;
#endif
}

static void play_game(u64 *dice) {
    for (;;) {
        u64 free = reach & ~placed, where = 0;
        int kind = hand[seat], has_tile = held >> seat & 1, places = 0, more = next_tile < TILES;
        if (has_tile) { /* X9, X10, X13 */
            where = free & ~short_cells[kind];
            if (!where) where = free;
            places = __builtin_popcountll(where);
        }
        int k = below(dice, places + more + !has_tile);
        decisions++;
        if (k < places) {
            if (more) hand[seat] = supply[next_tile++]; else held &= ~(1u << seat);
        } else if (more && k == places) { /* X8: draw and place what is drawn */
            kind = supply[next_tile++];
            where = free & ~short_cells[kind];
            if (!where) where = free;
            k = below(dice, __builtin_popcountll(where));
            decisions++;
#if ROWS
            draws[seat]++;
#endif
        } else where = 0; /* pass */
        if (where) lay(kind, kth_bit(where, k));
        if (placed == ALL_CELLS) return;
        seat = (seat + 1) & 3;
        turn++;
    }
}

#if ROWS
#pragma pack(push, 1)
typedef struct {
    u64 game; i32 layout; u8 status; i8 end_reason, end_seat; u16 turns; u8 tiles, draws; u16 exchanges; u8 lines_ended,
    lines_to_centre, longest_line; i8 winner; i16 margin, lead_changes, decided_turn;
} GameRow;
typedef struct {
    u64 game; u8 seat, player; u16 turns; i32 hand, opening; i16 score, line_points, number_points, share_points, bonus_points; u8 lines_ended,
    lines_to_centre, tiles, draws; u16 exchanges; u8 wagons, rank; float win_share;
} SeatRow;
typedef struct { u64 game; u8 line; i8 seat, company, to; u8 tiles; i16 points, turn; u8 ended; } LineRow;
#pragma pack(pop)

static void write_rows(u64 number, GameRow *row, SeatRow *seats, LineRow *lines) {
    int ended[PLAYERS] = {0}, centre[PLAYERS] = {0}, longest = 0, top = -1, next = -1, winners = 0, all_draws = 0, tiles = 0;
    for (int line = 0; line < STATIONS; line++) {
        int there = arrived >> line & 1, in_centre = there && to[line] > STATIONS, whose = owner[line];
        ended[whose] += there;
        centre[whose] += in_centre;
        if (line_tiles[line] > longest) longest = line_tiles[line];
        lines[line] = (LineRow){number, line + 1, whose, -1, there ? to[line] : -1, line_tiles[line],
            there ? line_tiles[line] << in_centre : 0, there ? line_turn[line] : -1, there};
    }
    for (int p = 0; p < PLAYERS; p++) {
        if (points[p] > top) { next = top; top = points[p]; } else if (points[p] > next) next = points[p];
        all_draws += draws[p];
        tiles += tiles_placed[p];
    }
    for (int p = 0; p < PLAYERS; p++) winners |= (points[p] == top) << p;
    for (int p = 0; p < PLAYERS; p++) {
        int rank = 1;
        for (int other = 0; other < PLAYERS; other++) rank += points[other] > points[p];
        seats[p] = (SeatRow){number, p, p, 0, 0, 0, points[p], points[p], 0, 0, 0, ended[p], centre[p], tiles_placed[p], draws[p], 0, 0,
            rank, winners >> p & 1 ? 1.0f / __builtin_popcount(winners) : 0.0f};
    }
    int alone = __builtin_popcount(winners) == 1, winner = alone ? __builtin_ctz(winners) : -1;
    *row = (GameRow){number, -1, 0, 0, 0, turn, tiles, all_draws, 0, __builtin_popcountll(arrived),
        centre[0] + centre[1] + centre[2] + centre[3], longest, winner, top - next,
        lead_changes + (alone && leader >= 0 && leader != winner),
        !alone ? -1 : leader == winner ? leader_since : turn + 1};
}
#endif

/* Columns that the rows have room for and nothing is written into: how a game came about. */
EXPORTED const char left_out[] = "games.end_seat,seats.turns,seats.hand,seats.opening";

EXPORTED const char sums[] = "turns,lines_ended,score";

/* Plays games; with -DROWS into the tables games, seats and lines. Returns the decisions made. */
EXPORTED i64 play(i64 first, i64 count, i64 *sum, void **tables) {
    for (int i = 0; i < NODES; i++) itself[i] = i;
    i64 made = 0;
    for (i64 i = 0; i < count; i++) {
        u64 dice = (u64)(first + i) * 0xD1342543DE82EF95ull + 1;
        set_up(&dice);
        play_game(&dice);
        made += decisions;
        sum[0] += turn;
        sum[1] += __builtin_popcountll(arrived);
        sum[2] += points[0] + points[1] + points[2] + points[3];
#if ROWS
        write_rows(first + i, (GameRow *)tables[0] + i, (SeatRow *)tables[1] + PLAYERS * i, (LineRow *)tables[2] + STATIONS * i);
#else
        (void)tables;
#endif
    }
    return made;
}
