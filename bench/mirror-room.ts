// Rooms with one chore, `web`, that mirrors a repository of the bench's tracker: synced in this process by the real
// runtime, or by the real program as a child.
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { openRuntime } from '../src/app/open-room.ts';
import { createNodeEffects } from '../src/node.ts';
import type { OutputOf } from '../src/operations/client.ts';
import { PROGRAM } from './daemon.ts';
import { type BenchRoom, createRoom } from './room-files.ts';

type SyncReport = OutputOf<'sync'>['reports'][number];

export const TOKEN = 'good-token';
export const CHORE = 'web';

export interface MirrorSource {
  /** Of the tracker. */
  url: string;
  /** `acme/web`. */
  repo: string;
  schedule?: string;
}

export function createMirrorRoom({ url, repo, schedule }: MirrorSource): BenchRoom {
  const room = createRoom({ count: 0, state: 'resting' });
  mkdirSync(join(room.dir, 'chores'));
  const mirror = [
    'mirror:',
    '  provider: github',
    `  source: ${repo}`,
    `  url: ${url}`,
    '  filter: { state: open }',
  ];
  const lines = [...(schedule ? [`schedule: ${schedule}`] : []), ...mirror];
  writeFileSync(join(room.dir, 'chores', `${CHORE}.md`), `---\n${lines.join('\n')}\n---\n`);
  return room;
}

export interface OpenMirrors {
  /** One sync, both ways. Throws when it failed or left something out. */
  sync(): Promise<SyncReport>;
  close(): Promise<void>;
}

export async function openMirrorRoom({ dir }: Pick<BenchRoom, 'dir'>): Promise<OpenMirrors> {
  const effects = createNodeEffects();
  const runtime = await openRuntime(dir, { ...effects, env: { ...effects.env, GITHUB_TOKEN: TOKEN } });
  return {
    async sync() {
      const { reports } = await runtime.tasks.call('sync', { chore: CHORE }, { kind: 'person' });
      return whole(reports[0]!);
    },
    close: () => runtime.close(),
  };
}

function whole(report: SyncReport): SyncReport {
  const { error, skipped } = report;
  if (error !== null) throw new Error(`the sync failed: ${error.message}`);
  if (skipped.length > 0) throw new Error(`the sync left out ${skipped.length}: ${skipped[0]!.why}`);
  return report;
}

export interface AloneCosts {
  wallMs: number;
  cpuMs: number;
  /** Most memory it ever had resident. */
  peakMb: number;
}

// Told by the program itself as its last act.
const TELL = `process.on('exit', () => process.stderr.write(JSON.stringify(process.resourceUsage())))`;

/** `taskroom sync` as a process of its own. */
export async function syncAlone({ dir }: Pick<BenchRoom, 'dir'>): Promise<AloneCosts> {
  const startedAt = performance.now();
  const args = ['--import', `data:text/javascript,${TELL}`, PROGRAM, 'sync', CHORE, '--json', '--room', dir];
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, GITHUB_TOKEN: TOKEN },
  });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const [output, told, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  const wallMs = performance.now() - startedAt;
  if (code !== 0) throw new Error(`taskroom sync ended with ${code}: ${told}${output}`);
  const usage = JSON.parse(told.slice(told.lastIndexOf('{'))) as NodeJS.ResourceUsage;
  const cpuMs = (usage.userCPUTime + usage.systemCPUTime) / 1_000;
  return { wallMs, cpuMs, peakMb: (usage.maxRSS * 1_024) / 1e6 };
}
