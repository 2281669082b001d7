// A host, PostgreSQL and workers for a storm, each reached through lines that can be cut: the workers with homes of their own
// that outlive their processes, two of them with a clock that is ten minutes off. All of it can be killed and comes again.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Daemon } from '../e2e/daemon.ts';
import { createSite, type Site, type WorkerProcess, type WorkerSetup } from '../e2e/workers.ts';
import { type Cut, type CutProxy, startCutProxy } from '../support/cut-proxy.ts';
import { type GitServer, startGitServer } from '../support/git-server.ts';
import { type Postgres, startPostgres } from '../support/postgres.ts';
import type { Line } from './worker-faults.ts';

export const AGENT = 'far';
/** Its turns end when they are told to. */
export const SLEEPER = 'sleeper';
/** These work in a branch of a repository: of one that takes pushes, and of one that takes none. */
export const IN_BRANCHES = { pusher: 'open', bundler: 'shut' } as const;
const SLOTS = 4;
/** Its lines stand before the host as a proxy does. */
const NAMED = ['--name', '127.0.0.1'];
const TEN_MINUTES_MS = 600_000;
const CLOCK = pathToFileURL(join(import.meta.dirname, '../fixtures/faults/shifted-clock.mjs')).href;

interface Member {
  name: string;
  process: WorkerProcess;
  toHost: CutProxy;
  toPostgres: CutProxy;
  setup: WorkerSetup;
}

export type StormSite = ReturnType<typeof assemble>;

/** @param words of the agent's shell, which finds the room's folder in `$ROOM_OF_TEST` */
export async function openStormSite(workers: number, words: string): Promise<StormSite> {
  const [postgres, repositories] = await Promise.all([startPostgres(), startGitServer()]);
  const site = await createSite(postgres);
  const { room } = site;
  const fromHost = await startCutProxy(postgres.port);
  room.daemonEnv.ROOM_QUEUE = through(fromHost, postgres);
  room.settings(
    `default_agent: ${AGENT}`,
    'settle: 50ms',
    'hold_above: 0',
    'max_attempts: 100',
    'limits:',
    // One worker less has room for them.
    `  total: ${(workers - 1) * SLOTS}`,
    `  task: ${(workers - 1) * SLOTS}`,
    'queue:',
    '  postgres: ROOM_QUEUE',
  );
  const env = { ROOM_OF_TEST: room.dir };
  room.agent(AGENT, { command: ['/bin/sh', '-c', words], env });
  for (const [agent, name] of Object.entries(IN_BRANCHES)) {
    const workspace = { repository: repositories.url(name), base: 'main' };
    const who = Object.fromEntries(
      ['AUTHOR', 'COMMITTER'].flatMap((role) => [
        [`GIT_${role}_NAME`, 'A'],
        [`GIT_${role}_EMAIL`, 'a@example.com'],
      ]),
    );
    const command = ['/bin/sh', '-c', words];
    room.agent(agent, { command, workspace, env: { ...env, ...who } });
  }
  const sleeps = 'echo $$ > "$ROOM_OF_TEST/sleeps-$TASKROOM_TASK"; exec sleep 600';
  room.agent(SLEEPER, { command: ['/bin/sh', '-c', sleeps], env });
  const daemons = [await room.up('--port', '0', ...NAMED)];
  await daemons[0]!.see('api.ready');
  const port = Number(new URL(site.url()).port);
  const token = await site.token('all');
  const enlist = async (at: number): Promise<Member> => {
    const [toHost, toPostgres] = [await startCutProxy(port), await startCutProxy(postgres.port)];
    const setup: WorkerSetup = {
      ...{ token, args: ['--slots', String(SLOTS)], env: clockOf(at) },
      url: `http://127.0.0.1:${toHost.port}`,
      queue: through(toPostgres, postgres),
    };
    const name = `w${at}`;
    return { name, toHost, toPostgres, setup, process: await site.worker(name, setup) };
  };
  const members = await Promise.all(Array.from({ length: workers }, (_, at) => enlist(at)));
  const own = room.read('.taskroom/token').trim();
  return assemble({ site, postgres, repositories, fromHost, members, daemons, port, own });
}

/** Of the second one it is ahead, of the third behind. */
function clockOf(worker: number): Record<string, string> {
  const shift = [0, TEN_MINUTES_MS, -TEN_MINUTES_MS][worker] ?? 0;
  return shift === 0 ? {} : { CLOCK_SHIFT_MS: String(shift), NODE_OPTIONS: `--import=${CLOCK}` };
}

function through(proxy: CutProxy, { url, port }: Postgres): string {
  return url.replace(`:${port}/`, `:${proxy.port}/`);
}

interface Parts {
  site: Site;
  postgres: Postgres;
  repositories: GitServer;
  fromHost: CutProxy;
  members: Member[];
  daemons: Daemon[];
  port: number;
  own: string;
}

function assemble({ site, postgres, repositories, fromHost, members, daemons, port, own }: Parts) {
  const { room } = site;
  const proxies = () => [fromHost, ...members.flatMap(({ toHost, toPostgres }) => [toHost, toPostgres])];
  return {
    site,
    postgres,
    /** Every daemon that there was. */
    daemons,
    names: members.map(({ name }) => name),
    /** Home of each worker, by its name. */
    homes: members.map(({ process: { home } }) => home),
    async killWorker(at: number): Promise<void> {
      const { process: worker } = members[at]!;
      worker.signal('SIGKILL');
      await worker.ended;
    },
    async startWorker(at: number): Promise<void> {
      const member = members[at]!;
      const { home } = member.process;
      member.process = await site.worker(member.name, { ...member.setup, home });
    },
    killHost: () => daemons.at(-1)!.kill(),
    startHost: async () => void daemons.push(await room.up('--port', String(port), ...NAMED)),
    killPostgres: postgres.kill,
    startPostgres: postgres.start,
    cut(line: Line, at: number, how: Cut, downMs: number): void {
      const { toHost, toPostgres } = members[at]!;
      const proxy = { 'worker-host': toHost, 'worker-postgres': toPostgres, 'host-postgres': fromHost }[line];
      proxy.cut(how, downMs);
    },
    /** How often lines were really cut. */
    cuts(): Record<Cut, number> {
      const sum = (how: Cut) => proxies().reduce((count, { made }) => count + made[how], 0);
      return { request: sum('request'), answer: sum('answer'), silence: sum('silence') };
    },
    mend: () => proxies().forEach((proxy) => void proxy.mend()),
    /** Ids of the turns that the host has on record as running; null while it does not answer. */
    async running(): Promise<{ id: string; task: string }[] | null> {
      try {
        const headers = { authorization: `Bearer ${own}` };
        const url = `http://127.0.0.1:${port}/api/turns?state=running&limit=1000`;
        // A host that opens its room says so, and tells of no turns.
        const answer = await fetch(url, { headers });
        return answer.ok ? ((await answer.json()) as { turns: { id: string; task: string }[] }).turns : null;
      } catch {
        return null;
      }
    },
    /** Ends workers and host as a person does; resolves with their exit codes. */
    async stop(): Promise<(number | null)[]> {
      for (const { process: worker } of members) worker.signal('SIGTERM');
      const codes = await Promise.all(members.map(({ process: { ended } }) => ended));
      await room.ok('stop');
      return [...codes, (await daemons.at(-1)!.ended).code];
    },
    async close(): Promise<void> {
      await site.close();
      await Promise.all(proxies().map((proxy) => proxy.close()));
      await postgres.close();
      repositories.close();
    },
  };
}

/** Lines of a file that may not be there yet. */
export function linesOf(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split('\n').filter(Boolean);
  } catch {
    return [];
  }
}
