// A plan for very many machines, computed: turns come to rooms at random, wait for a slot, and take their time; what they cost
// hosts and PostgreSQL is what the bench `workers` measured of one. `node bench/plan.ts --workers 1000 --rooms 10`.
import { parseArgs } from 'node:util';
import { createRandom } from '../test/support/random.ts';
import { percentile } from './figures.ts';

/** Measured on two cores by `npm run bench -- --only workers` (docs/performance.md); given anew by options. */
const MEASURED = {
  /** Processor time of a room's host for one whole turn, ms. */
  'host-turn': '16',
  /** Of the host for one idle worker, in thousandths of a core. */
  'host-idle': '0.15',
  /** Of PostgreSQL for one job, sent, fetched and completed, ms. */
  'pg-job': '0.1',
  /** Of PostgreSQL for one heartbeat of a worker, ms. */
  'pg-beat': '1.4',
  /** From a turn's start on record to its first step at an idle worker, ms. */
  start: '40',
};
/** Of src/runtime: a busy worker says so this often, and keeps one connection meanwhile. */
const BEAT_S = 1.5;
/** Of src/runtime: a host watches over heartbeats this often. */
const SUPERVISE_S = 1;
const HOST_CONNECTIONS = 2;

const { values } = parseArgs({
  options: {
    workers: { type: 'string', default: '1000' },
    rooms: { type: 'string', default: '10' },
    slots: { type: 'string', default: '4' },
    /** Mean length of a turn, s. */
    turn: { type: 'string', default: '300' },
    /** How much of all slots turns would fill. */
    load: { type: 'string', default: '0.8' },
    hours: { type: 'string', default: '4' },
    seed: { type: 'string', default: '1' },
    ...Object.fromEntries(
      Object.entries(MEASURED).map(([name, value]) => [name, { type: 'string' as const, default: value }]),
    ),
  },
});
const given = (name: string) => Number((values as Record<string, string>)[name]);
const [workers, rooms, slots, turnS, load] = ['workers', 'rooms', 'slots', 'turn', 'load'].map(given) as [
  number,
  number,
  number,
  number,
  number,
];

/** Waits of one room's turns, s, and the most slots that were busy. */
function simulateRoom(random: () => number, places: number): { waits: number[]; most: number } {
  const exponential = (mean: number) => -Math.log(1 - random()) * mean;
  const free: number[] = Array.from({ length: places }, () => 0);
  const waits: number[] = [];
  let most = 0;
  const rate = (places * load) / turnS;
  for (let at = 0; at < given('hours') * 3600; at += exponential(1 / rate)) {
    let first = 0;
    for (let place = 1; place < places; place += 1) if (free[place]! < free[first]!) first = place;
    const begins = Math.max(at, free[first]!);
    waits.push(begins - at);
    free[first] = begins + given('start') / 1000 + exponential(turnS);
    most = Math.max(most, free.filter((until) => until > at).length);
  }
  return { waits, most };
}

const random = createRandom(given('seed'));
const places = Math.floor((workers / rooms) * slots);
const found = Array.from({ length: rooms }, () => simulateRoom(random, places));
const waits = found.flatMap((room) => room.waits);
const turnsPerS = waits.length / (given('hours') * 3600);
const perRoom = turnsPerS / rooms;
const busy = Math.min(workers, workers * (1 - (1 - load) ** slots));
const beats = busy / BEAT_S;
const share = (value: number) => `${(value * 100).toFixed(1)} % of a core`;
const host = (perRoom * given('host-turn')) / 1000 + ((workers / rooms) * given('host-idle')) / 1000;
const pg = (turnsPerS * given('pg-job') + (beats + rooms / SUPERVISE_S) * given('pg-beat')) / 1000;
const rows: [string, string][] = [
  ['turns', `${turnsPerS.toFixed(1)} a second in all, ${perRoom.toFixed(2)} a room`],
  ['slots busy at most, of a room', `${Math.max(...found.map(({ most }) => most))} of ${places}`],
  [
    'wait for a slot, p50, p99',
    `${percentile(waits, 0.5).toFixed(2)} s, ${percentile(waits, 0.99).toFixed(2)} s`,
  ],
  ['each host', share(host)],
  ['heartbeats at PostgreSQL', `${beats.toFixed(0)} a second`],
  ['PostgreSQL', share(pg)],
  ['connections, held by busy workers and hosts', `${Math.round(busy + rooms * HOST_CONNECTIONS)}`],
  [
    'jobs in PostgreSQL',
    `${Math.round(workers * slots * load)} at work, and those that ended within a quarter of an hour`,
  ],
];
process.stdout.write(
  `${workers} workers of ${slots} slots, ${rooms} rooms, turns of ${turnS} s, ${load * 100} % of the slots\n\n`,
);
for (const [what, value] of rows) process.stdout.write(`${what.padEnd(46)}${value}\n`);
