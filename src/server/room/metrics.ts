// Metrics of the room for Prometheus: counters that follow events, and gauges that are read when asked for.
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { OpenRoom } from '../../app/open-room.ts';
import type { RoomEvent } from '../../core/events.ts';
import type { RoomStatus } from '../../tasks/shapes/room.ts';

const TURN_SECONDS = [1, 5, 15, 60, 300, 900, 3600];
const REQUEST_SECONDS = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3];

export function createMetrics(runtime: OpenRoom) {
  const registry = new Registry();
  const counters = createCounters(registry);
  const setGauges = createGauges(registry);
  const agents = new Map<string, string>();
  const unsubscribe = runtime.events.subscribe((event) => countEvent(counters, agents, event));
  return {
    contentType: registry.contentType,
    /** @param route the pattern, never an address @param tookMs until the answer began */
    request(method: string, route: string, status: number, tookMs: number) {
      counters.requests.observe({ method, route, status }, tookMs / 1000);
    },
    readers: (change: 1 | -1) => counters.readers.inc(change),
    readerDropped: () => counters.dropped.inc(),
    async text() {
      setGauges(await runtime.tasks.call('status', {}, runtime.caller, true));
      return registry.metrics();
    },
    close() {
      unsubscribe();
      registry.clear();
    },
  };
}

type Counters = ReturnType<typeof createCounters>;

function createCounters(registry: Registry) {
  const of = <Label extends string>(name: string, help: string, labelNames: Label[]) => ({
    ...{ name: `taskroom_${name}`, help, labelNames, registers: [registry] },
  });
  const counter = <Label extends string>(name: string, help: string, labels: Label[] = []) =>
    new Counter(of(name, help, labels));
  return {
    turns: counter('turns_total', 'Turns that ended', ['agent', 'state', 'reason']),
    turnSeconds: new Histogram({
      ...of('turn_seconds', 'How long turns took', ['agent']),
      buckets: TURN_SECONDS,
    }),
    claims: counter('turns_claimed_total', 'Turns that workers took, each attempt counted', ['worker']),
    late: counter('turn_late_reports_total', 'Reports of workers that had lost their turn'),
    refusals: counter('turn_refusals_total', 'What agents asked for and may not do'),
    syncs: counter('syncs_total', 'Syncs that ended', ['chore', 'result']),
    syncRequests: counter('sync_requests_total', 'Requests to trackers', ['chore']),
    syncBudget: new Gauge(
      of('sync_budget_remaining', 'Requests that the tracker still allows, as it said last', ['chore']),
    ),
    conflicts: counter('sync_conflicts_total', 'Fields that both sides had changed', ['chore']),
    requests: new Histogram({
      ...of('http_seconds', 'Requests to this API', ['method', 'route', 'status']),
      buckets: REQUEST_SECONDS,
    }),
    readers: new Gauge(of('event_readers', 'Readers of events', [])),
    dropped: counter('event_readers_dropped_total', 'Readers of events that did not read'),
  };
}

/** @param agents the agent of each turn that runs */
function countEvent(counters: Counters, agents: Map<string, string>, event: RoomEvent): void {
  switch (event.type) {
    case 'turn.started':
      return void agents.set(event.turn, event.agent);
    case 'turn.claimed':
      return counters.claims.inc({ worker: event.worker });
    case 'turn.late_report':
      return counters.late.inc();
    case 'turn.refused':
      return counters.refusals.inc();
    case 'turn.ended': {
      const { turn, state, reason, tookMs } = event;
      const agent = agents.get(turn) ?? 'unknown';
      agents.delete(turn);
      counters.turns.inc({ agent, state, reason });
      return counters.turnSeconds.observe({ agent }, tookMs / 1000);
    }
    case 'sync.finished':
    case 'sync.failed': {
      const { chore, requests, remaining } = event;
      counters.syncs.inc({ chore, result: event.type === 'sync.finished' ? 'finished' : event.code });
      if (event.type === 'sync.finished') counters.conflicts.inc({ chore }, event.conflicts);
      counters.syncRequests.inc({ chore }, requests);
      if (remaining !== null) counters.syncBudget.set({ chore }, remaining);
    }
  }
}

/** The help of each gauge, and the label of one with several values. */
const GAUGES = {
  tasks: ['Tasks by status', 'status'],
  files_invalid: ['Task files that can not be read'],
  turns_running: ['Turns that run', 'agent'],
  turns_queued: ['Tasks whose turn is asked for and does not run'],
  tasks_held: ['Tasks that wait for a word since very many were edited at once'],
  tasks_retrying: ['Tasks whose failed turn is tried again'],
  agents_waiting: ['Agents whose turns wait for a limit or a budget'],
  trouble: ['What is wrong outside'],
  tokens_today: ['Tokens that the turns of today used', 'kind'],
  cost_usd_today: ['What the turns of today cost, as their agents said'],
  turns_elsewhere: ['Turns that run at workers', 'worker'],
  turns_waiting_for_worker: ['Turns that were sent out and no worker has'],
  agents_without_worker: ['Agents that no living worker can run'],
  queue_up: ['Whether the queue on PostgreSQL answered last'],
  workers: ['Workers on other machines that live'],
  worker_slots: ['Turns that they may run at once'],
  memory_bytes: ['Memory of the daemon', 'kind'],
} as const;

type Reading = number | Readonly<Record<string, number>>;

/** The values of the gauges; those of workers only in a room that has them. */
function readingsOf(status: RoomStatus): Partial<Record<keyof typeof GAUGES, Reading>> {
  const { counts, invalid, running, pending, held, retries, waiting, trouble, today } = status;
  const { workers = [], places, unserved = [], queue } = status;
  const live = workers.filter((worker) => worker.live);
  const on = Object.values(places ?? {});
  const { rss: resident, heapUsed: heap } = process.memoryUsage();
  return {
    ...{ tasks: counts, files_invalid: invalid.length, trouble: trouble.length },
    turns_running: countBy(running.map(({ agent }) => agent)),
    ...{ turns_queued: pending.length, tasks_held: held.length, tasks_retrying: retries.length },
    ...{ agents_waiting: waiting.length, cost_usd_today: today.cost_usd ?? 0 },
    tokens_today: { input: today.input_tokens, output: today.output_tokens },
    ...{ workers: live.length, worker_slots: live.reduce((sum, { slots }) => sum + slots, 0) },
    memory_bytes: { resident, heap },
    ...(places !== undefined && {
      turns_elsewhere: countBy(on.filter((worker) => worker !== null)),
      turns_waiting_for_worker: on.filter((worker) => worker === null).length,
      ...{ agents_without_worker: unserved.length, queue_up: queue?.answers === false ? 0 : 1 },
    }),
  };
}

const countBy = (names: readonly string[]) =>
  Object.fromEntries([...Map.groupBy(names, (name) => name)].map(([name, { length }]) => [name, length]));

function createGauges(registry: Registry): (status: RoomStatus) => void {
  const gauges = Object.entries(GAUGES).map(([name, [help, label]]) => {
    const labelNames = label === undefined ? [] : [label];
    const gauge = new Gauge({ name: `taskroom_${name}`, help, labelNames, registers: [registry] });
    return { name, label: label ?? '', gauge };
  });
  return (status) => {
    const readings = readingsOf(status);
    for (const { name, label, gauge } of gauges) {
      const reading = readings[name as keyof typeof GAUGES];
      if (typeof reading === 'number') gauge.set(reading);
      if (typeof reading !== 'object') continue;
      gauge.reset();
      for (const [key, value] of Object.entries(reading)) gauge.set({ [label]: key }, value);
    }
  };
}
