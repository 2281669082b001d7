// A process on a room that mirrors a GitHub-shaped server: does one job, and kills itself with SIGKILL at a point of it.
//   sync-child.ts <job as JSON>
import { createNodeEffects } from '../../src/node.ts';
import { createGithubFactory } from '../../src/providers/github/github.ts';
import type { Actor } from '../../src/tasks/task-room.ts';
import { TEST_PACE } from '../providers/github/harness.ts';
import { mirrorChore } from '../support/mirror-config.ts';
import { openSyncProcess } from '../sync/sync-process.ts';

export interface Job {
  dir: string;
  url: string;
  /** `comment`: says `word` on the task and syncs. `publish`: makes a task called `word` and an issue of it. */
  action: 'comment' | 'publish';
  word: string;
  task: string;
  /** The point it dies at; null leaves that to others. */
  dieAt: 'intended' | 'called' | null;
}

const PERSON: Actor = { kind: 'person' };
const job = JSON.parse(process.argv[2] ?? '{}') as Job;
const { dir, url, action, word, task, dieAt } = job;

const room = openSyncProcess({
  dir,
  effects: createNodeEffects({ GITHUB_TOKEN: 'good-token' }),
  chores: [mirrorChore('web', { provider: 'github', url })],
  factory: createGithubFactory(TEST_PACE),
  probe(point) {
    if (point === dieAt) process.kill(process.pid, 'SIGKILL');
  },
});
const { signal } = new AbortController();
if (action === 'publish') {
  const { id } = await room.tasks.call('create', { name: word, description: `All of ${word}.` }, PERSON);
  await room.sync.publish(id, 'web', signal);
} else {
  await room.tasks.call('comment', { ref: task, text: word }, PERSON);
  const report = await room.sync.syncChore('web', { pull: true, push: true, byPerson: true }, signal);
  if (report.error) throw new Error(report.error.message);
}
await room.close();
