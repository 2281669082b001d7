// Figures of the room for Prometheus: what events count as they pass, and what is looked up when somebody asks.
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { OpenRoom } from '../../app/open-room.ts';
import type { RoomEvent } from '../../core/events.ts';
import type { RoomStatus } from '../../tasks/shapes/room.ts';

export interface Metrics {
  /** One request that was answered. @param route its pattern, never an address @param tookMs until the answer began */
  request(method: string, route: string, status: number, tookMs: number): void;
  readers(change: 1 | -1): void;
  readerDropped(): void;
  /** The text of now. */
  text(): Promise<string>;
  readonly contentType: string;
  close(): void;
}

const TURN_SECONDS = [1, 5, 15, 60, 300, 900, 3600];
const REQUEST_SECONDS = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3];

export function createMetrics(runtime: OpenRoom): Metrics {
  const registry = new Registry();
  const seen = createCounters(registry);
  const looked = createGauges(registry);
  const agents = new Map<string, string>();
  const unsubscribe = runtime.events.subscribe((event) => countEvent(seen, agents, event));
  return {
    contentType: registry.contentType,
    request(method, route, status, tookMs) {
      seen.requests.observe({ method, route, status }, tookMs / 1000);
    },
    readers: (change) => looked.readers.inc(change),
    readerDropped: () => seen.dropped.inc(),
    async text() {
      await lookUp(looked, runtime);
      return registry.metrics();
    },
    close() {
      unsubscribe();
      registry.clear();
    },
  };
}

type Counters = ReturnType<typeof createCounters>;
type Gauges = ReturnType<typeof createGauges>;

function createCounters(registry: Registry) {
  const registers = [registry];
  const counter = <Label extends string>(name: string, help: string, labelNames: Label[] = []) =>
    new Counter({ name: `taskroom_${name}`, help, labelNames, registers });
  const histogram = <Label extends string>(
    name: string,
    help: string,
    labelNames: Label[],
    buckets: number[],
  ) => new Histogram({ name: `taskroom_${name}`, help, labelNames, buckets, registers });
  return {
    turns: counter('turns_total', 'Turns that ended', ['agent', 'state', 'reason']),
    turnSeconds: histogram('turn_seconds', 'How long turns took', ['agent'], TURN_SECONDS),
    claims: counter('turns_claimed_total', 'Turns that workers took, each attempt counted', ['worker']),
    late: counter('turn_late_reports_total', 'Reports of workers that had lost their turn'),
    refusals: counter('turn_refusals_total', 'What agents asked for and may not do'),
    syncs: counter('syncs_total', 'Syncs that ended', ['chore', 'result']),
    syncRequests: counter('sync_requests_total', 'Requests to trackers', ['chore']),
    syncBudget: new Gauge({
      name: 'taskroom_sync_budget_remaining',
      help: 'Requests that the tracker still allows, as it said last',
      labelNames: ['chore'],
      registers,
    }),
    conflicts: counter('sync_conflicts_total', 'Fields that both sides had changed', ['chore']),
    requests: histogram(
      'http_seconds',
      'Requests to this API',
      ['method', 'route', 'status'],
      REQUEST_SECONDS,
    ),
    dropped: counter('event_readers_dropped_total', 'Readers of events that did not read'),
  };
}

function createGauges(registry: Registry) {
  const gauge = <Label extends string>(name: string, help: string, labelNames: Label[] = []) =>
    new Gauge({ name: `taskroom_${name}`, help, labelNames, registers: [registry] });
  return {
    tasks: gauge('tasks', 'Tasks by status', ['status']),
    invalid: gauge('files_invalid', 'Task files that can not be read'),
    running: gauge('turns_running', 'Turns that run', ['agent']),
    queued: gauge('turns_queued', 'Tasks whose turn is asked for and does not run'),
    held: gauge('tasks_held', 'Tasks that wait for a word since very many were edited at once'),
    retrying: gauge('tasks_retrying', 'Tasks whose failed turn is tried again'),
    waiting: gauge('agents_waiting', 'Agents whose turns wait for a limit or a budget'),
    trouble: gauge('trouble', 'What is wrong outside'),
    tokensToday: gauge('tokens_today', 'Tokens that the turns of today used', ['kind']),
    costToday: gauge('cost_usd_today', 'What the turns of today cost, as their agents said'),
    places: gauge('turns_elsewhere', 'Turns that run at workers', ['worker']),
    unclaimed: gauge('turns_waiting_for_worker', 'Turns that were sent out and no worker has'),
    unserved: gauge('agents_without_worker', 'Agents that no living worker can run'),
    queueUp: gauge('queue_up', 'Whether the queue on PostgreSQL answered last'),
    workers: gauge('workers', 'Workers on other machines that live'),
    slots: gauge('worker_slots', 'Turns that they may run at once'),
    readers: gauge('event_readers', 'Readers of events'),
    memory: gauge('memory_bytes', 'Memory of the daemon', ['kind']),
  };
}

/** @param agents who has the turns that run */
function countEvent(seen: Counters, agents: Map<string, string>, event: RoomEvent): void {
  if (event.type === 'turn.started') agents.set(event.turn, event.agent);
  if (event.type === 'turn.claimed') seen.claims.inc({ worker: event.worker });
  if (event.type === 'turn.late_report') seen.late.inc();
  if (event.type === 'turn.refused') seen.refusals.inc();
  if (event.type === 'turn.ended') {
    const agent = agents.get(event.turn) ?? 'unknown';
    agents.delete(event.turn);
    seen.turns.inc({ agent, state: event.state, reason: event.reason });
    seen.turnSeconds.observe({ agent }, event.tookMs / 1000);
  }
  if (event.type === 'sync.finished') {
    const { chore } = event;
    seen.syncs.inc({ chore, result: 'finished' });
    seen.conflicts.inc({ chore }, event.conflicts);
  }
  if (event.type === 'sync.failed') seen.syncs.inc({ chore: event.chore, result: event.code });
  if (event.type === 'sync.finished' || event.type === 'sync.failed') {
    const { chore, requests, remaining } = event;
    seen.syncRequests.inc({ chore }, requests);
    if (remaining !== null) seen.syncBudget.set({ chore }, remaining);
  }
}

async function lookUp(looked: Gauges, runtime: OpenRoom): Promise<void> {
  const status = await runtime.tasks.call('status', {}, runtime.caller, true);
  const { counts, invalid, pending, held, retries, waiting, today, running, trouble } = status;
  for (const [status, count] of Object.entries(counts)) looked.tasks.set({ status }, count);
  looked.invalid.set(invalid.length);
  looked.queued.set(pending.length);
  looked.held.set(held.length);
  looked.retrying.set(retries.length);
  looked.waiting.set(waiting.length);
  looked.trouble.set(trouble.length);
  looked.tokensToday.set({ kind: 'input' }, today.input_tokens);
  looked.tokensToday.set({ kind: 'output' }, today.output_tokens);
  looked.costToday.set(today.cost_usd ?? 0);
  looked.running.reset();
  for (const { agent } of running) looked.running.inc({ agent });
  lookElsewhere(looked, status);
  const { rss, heapUsed } = process.memoryUsage();
  looked.memory.set({ kind: 'resident' }, rss);
  looked.memory.set({ kind: 'heap' }, heapUsed);
}

/** Figures that only a room with workers has. */
function lookElsewhere(looked: Gauges, { workers = [], places, unserved = [], queue }: RoomStatus): void {
  const live = workers.filter((worker) => worker.live);
  looked.workers.set(live.length);
  looked.slots.set(live.reduce((sum, { slots }) => sum + slots, 0));
  looked.places.reset();
  if (places === undefined) return;
  const on = Object.values(places);
  for (const worker of on) if (worker !== null) looked.places.inc({ worker });
  looked.unclaimed.set(on.filter((worker) => worker === null).length);
  looked.unserved.set(unserved.length);
  looked.queueUp.set(queue?.answers === false ? 0 : 1);
}
