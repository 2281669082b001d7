// `kill -9` between a write upstream and its record: each round a comment and an issue are made by processes that die in
// that moment, and one that lives puts it right. Exactly one of each is upstream, and here.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createNodeEffects } from '../../src/node.ts';
import { createGithubFactory } from '../../src/providers/github/github.ts';
import { type GithubSetup, startGithub, TEST_PACE } from '../providers/github/harness.ts';
import { openIssue } from '../support/github-server/people.ts';
import { mirrorChore } from '../support/mirror-config.ts';
import { openSyncProcess } from '../sync/sync-process.ts';
import type { Job } from './sync-child.ts';

/** Where a process dies: the intent is durable; the server acted and nobody heard; its answer came and is not recorded. */
export type Moment = 'intended' | 'unheard' | 'called';
const MOMENTS: readonly Moment[] = ['called', 'unheard', 'called', 'unheard', 'intended'];

const COPIES_BEHIND_MS = 20_000;

export type RoundsOptions = { rounds: number; say(line: string): void };

type Place = { dir: string; github: GithubSetup };

/** @returns what is not exactly once, one line each */
export async function runRounds({ rounds, say }: RoundsOptions): Promise<string[]> {
  const github = await startGithub();
  const dir = mkdtempSync(join(tmpdir(), 'taskroom-kill-'));
  for (const folder of ['tasks', 'chores', 'agents/runbook'])
    mkdirSync(join(dir, folder), { recursive: true });
  writeFileSync(join(dir, 'agents/runbook/agent.json'), '{"runner":"runbook"}');
  const place = { dir, github };
  const problems: string[] = [];
  try {
    openIssue(github.server.state, github.repo, { title: 'Talked about', user: 'alice' });
    await heal(place);
    for (let round = 0; round < rounds; round += 1) {
      problems.push(...(await playRound(place, round)));
      if ((round + 1) % 10 === 0) say(`${round + 1} of ${rounds} rounds, ${problems.length} broken promises`);
    }
    return [...problems, ...judge(place, rounds)];
  } finally {
    await github.close();
    rmSync(dir, { recursive: true, force: true });
  }
}

async function playRound(place: Place, round: number): Promise<string[]> {
  const moment = MOMENTS[round % MOMENTS.length]!;
  const task = /^id: (\S+)$/m.exec(textOf(place, 'Talked about'))![1]!;
  const words = { comment: `said ${round} here`, publish: `Issue ${round} of ours` };
  const problems: string[] = [];
  for (const action of ['comment', 'publish'] as const) {
    const signal = await runChild(place, { action, word: words[action], task, moment });
    if (signal !== 'SIGKILL')
      problems.push(`round ${round}: the ${action} ended by ${signal}, not in that moment`);
  }
  place.github.server.state.nowMs += 120_000;
  await heal(place);
  return problems;
}

/** The restart: another process on the room, which lives. */
async function heal({ dir, github }: Place): Promise<void> {
  const real = createNodeEffects({ GITHUB_TOKEN: 'good-token' });
  // What may have been made is looked up when the tracker's copies show it.
  const effects = { ...real, now: () => real.now() + COPIES_BEHIND_MS };
  const room = openSyncProcess({
    dir,
    effects,
    chores: [mirrorChore('web', { provider: 'github', url: github.proxy.url })],
    factory: createGithubFactory(TEST_PACE),
  });
  const options = { pull: true, push: true, byPerson: true };
  const report = await room.sync.syncChore('web', options, new AbortController().signal);
  await room.close();
  if (report.error) throw new Error(report.error.message);
}

/** @returns the signal it ended by */
async function runChild(
  { dir, github }: Place,
  { moment, ...what }: Pick<Job, 'action' | 'word' | 'task'> & { moment: Moment },
): Promise<string | null> {
  const job: Job = { dir, url: github.proxy.url, ...what, dieAt: moment === 'unheard' ? null : moment };
  const child = spawn(process.execPath, [join(import.meta.dirname, 'sync-child.ts'), JSON.stringify(job)], {
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const ended = new Promise<[number | null, string | null]>((resolve) =>
    child.on('close', (code, signal) => resolve([code, signal])),
  );
  if (moment === 'unheard') {
    const run = async (): Promise<void> => {
      child.kill('SIGKILL');
      await ended;
    };
    github.proxy.once({ kind: 'after', run }, ({ method }) => method === 'POST');
  }
  const [code, signal] = await ended;
  if (code !== 0 && signal !== 'SIGKILL')
    throw new Error(`the ${what.action} ended with ${code ?? signal}: ${stderr}`);
  return signal;
}

function namesIn({ dir }: Place): string[] {
  return readdirSync(join(dir, 'tasks')).filter((name) => name.endsWith('.md'));
}

function textOf(place: Place, name: string): string {
  const file = namesIn(place).find((one) => one.startsWith(name));
  if (file === undefined) throw new Error(`no file of ${name}`);
  return readFileSync(join(place.dir, 'tasks', file), 'utf8');
}

function judge(place: Place, rounds: number): string[] {
  const { issues } = place.github.repo;
  const files = namesIn(place);
  const talked = textOf(place, 'Talked about');
  const problems: string[] = [];
  const once = (what: string, count: number) => {
    if (count !== 1) problems.push(`${what}: ${count} times`);
  };
  for (let round = 0; round < rounds; round += 1) {
    const [said, title] = [`said ${round} here`, `Issue ${round} of ours`];
    const comments = issues.flatMap((issue) => issue.comments).filter(({ body }) => body.includes(said));
    once(`comment ${said} upstream`, comments.length);
    once(`comment ${said} in the file`, talked.split(`> ${said}`).length - 1);
    const made = issues.filter((issue) => issue.title === title);
    once(`${title} upstream`, made.length);
    const mine = files.filter((name) => name.startsWith(title));
    once(`file of ${title}`, mine.length);
    const linked = mine.some((name) =>
      textOf(place, name.slice(0, -3)).includes(`remote: task:github:acme/web#${made[0]?.number}\n`),
    );
    if (!linked) problems.push(`${title} is not linked with its issue`);
  }
  return problems;
}
