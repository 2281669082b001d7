// The host of the room as a worker asks it: each question once more said hello to when the host was started anew, and none
// held longer than the host holds it.
import { isRoomError, RoomError } from '../../core/errors.ts';
import type { Effects } from '../../effects.ts';
import { type ApiCall, createApiCall } from '../../remote/http-way.ts';
import type {
  BranchPiece,
  ClaimedTurn,
  HostGreeting,
  InHand,
  ReportAnswer,
  WorkerHello,
  WorkerNews,
  WorkerReport,
} from '../../remote/worker-wire.ts';

export interface Host {
  hello(hello: WorkerHello): Promise<HostGreeting>;
  /** @param workspaces ids of tasks it asks about; null when it asks about none */
  wait(
    free: number,
    running: InHand[],
    workspaces: string[] | null,
    trouble: string | null,
    signal: AbortSignal,
  ): Promise<WorkerNews>;
  claim(turn: string, attempt: number, signal: AbortSignal): Promise<ClaimedTurn>;
  report(about: InHand, first: number, reports: WorkerReport[], signal: AbortSignal): Promise<ReportAnswer[]>;
  /** Sends a piece of a turn's branch. Resolves with the bytes that the host has. */
  keepBranch(
    about: InHand,
    piece: Pick<BranchPiece, 'offset' | 'size' | 'data'>,
    signal: AbortSignal,
  ): Promise<number>;
  /** A piece of the branch that a turn goes on with. */
  readBranch(about: InHand, offset: number, signal: AbortSignal): Promise<{ size: number; data: string }>;
  bye(): Promise<void>;
}

export interface HostOptions {
  url: string;
  token: string;
  /** The worker's. */
  id: string;
  effects: Effects;
  /** The explicit word for a way that others can read. */
  withoutTls: boolean;
}

const WAIT_MS = 20_000;
/** That it asks about at once. */
const MOST_WORKSPACES = 5000;
/** A host that says nothing for so long is away. */
const ANSWER_MS = 15_000;

/** @throws RoomError `bad_input`, `refused` for an address across a network without TLS */
export function createHost({ url, token, id, effects, withoutTls }: HostOptions): Host {
  assertEncrypted(url, withoutTls);
  const call: ApiCall = createApiCall({ url, token }, effects);
  let said: WorkerHello | null = null;
  const within = (signal: AbortSignal | null, ms: number) =>
    AbortSignal.any([AbortSignal.timeout(ms), ...(signal === null ? [] : [signal])]);
  const post = <Told>(path: string, input: object, within: AbortSignal) =>
    call<Told>({ method: 'post', path }, input, within);
  const ask = async <Told>(
    path: string,
    input: object,
    { signal, ms = ANSWER_MS }: { signal: AbortSignal | null; ms?: number },
  ) => {
    try {
      return await post<Told>(path, input, within(signal, ms));
    } catch (error) {
      // A host that was started anew knows no workers yet.
      if (!isRoomError(error, 'not_found') || said === null) throw error;
      await post('/api/workers', said, within(signal, ANSWER_MS));
      return post<Told>(path, input, within(signal, ms));
    }
  };
  return {
    async hello(hello) {
      const greeting = await post<HostGreeting>('/api/workers', hello, within(null, ANSWER_MS));
      said = hello;
      return greeting;
    },
    wait: (free, running, workspaces, trouble, signal) => {
      const about = workspaces === null ? {} : { workspaces: workspaces.slice(0, MOST_WORKSPACES) };
      const asked = {
        worker: id,
        free,
        running,
        waitMs: WAIT_MS,
        ...about,
        ...(trouble !== null && { trouble }),
      };
      return ask<WorkerNews>('/api/workers/wait', asked, { signal, ms: WAIT_MS + ANSWER_MS });
    },
    claim: (turn, attempt, signal) =>
      ask('/api/turns/{turn}/claim', { worker: id, turn, attempt }, { signal }),
    async report({ turn, attempt }, first, reports, signal) {
      const asked = { worker: id, turn, attempt, first, reports };
      type Told = { answers: ReportAnswer[] };
      return (await ask<Told>('/api/turns/{turn}/reports', asked, { signal })).answers;
    },
    async keepBranch({ turn, attempt }, piece, signal) {
      const asked = { worker: id, turn, attempt, ...piece };
      return (await ask<{ size: number }>('/api/turns/{turn}/branch', asked, { signal })).size;
    },
    readBranch: ({ turn, attempt }, offset, signal) =>
      ask('/api/turns/{turn}/branch/piece', { worker: id, turn, attempt, offset }, { signal }),
    bye: async () => void (await post('/api/workers/bye', { worker: id }, within(null, 3_000))),
  };
}

function assertEncrypted(url: string, withoutTls: boolean): void {
  const { protocol, hostname } = URL.canParse(url) ? new URL(url) : { protocol: '', hostname: '' };
  const isLoopback = /^127(\.\d{1,3}){3}$/.test(hostname) || ['localhost', '[::1]'].includes(hostname);
  if (protocol !== 'http:' || isLoopback || withoutTls) return;
  throw new RoomError(
    'refused',
    `${url} is not encrypted: whoever listens would read the token and the turns`,
    {
      hint: 'give an address with https, or say --without-tls where the network is your own',
    },
  );
}
