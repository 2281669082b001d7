// A provider whose listing never ends: the engine takes in what it showed and goes on to its other work.
import { expect, onTestFinished, test } from 'vitest';
import { createGithubFactory } from '../../src/providers/github/github.ts';
import type { ProviderFactory } from '../../src/providers/provider.ts';
import { TEST_PACE } from '../providers/github/harness.ts';
import { openIssue } from '../support/github-server/people.ts';
import { startGithubServer } from '../support/github-server/server.ts';
import { addRepo } from '../support/github-server/state.ts';
import { PERSON } from '../tasks/test-room.ts';
import { openServerMirror } from './server-mirror.ts';

/** The real provider, whose pages come again and again, under one cursor. */
function circling(inner: ProviderFactory): { factory: ProviderFactory; listed(): number } {
  let listed = 0;
  const factory: ProviderFactory = {
    ...inner,
    async open(...how) {
      const provider = await inner.open(...how);
      return {
        ...provider,
        async *list(cursor, signal) {
          for (;;) {
            listed += 1;
            if (listed > 50) throw new Error('listed without end');
            yield* provider.list(cursor, signal);
          }
        },
      };
    },
  };
  return { factory, listed: () => listed };
}

test('pages that repeat end the listing; what they showed is a task each, and what changed here goes up', async () => {
  const server = await startGithubServer();
  onTestFinished(() => server.close());
  const repo = addRepo(server.state, 'acme/web');
  repo.people.set('alice', 'MEMBER');
  const issues = ['One', 'Two', 'Three'].map((title) => openIssue(server.state, repo, { title }));
  const { factory, listed } = circling(createGithubFactory(TEST_PACE));
  const mirror = { provider: 'github', url: server.url };
  const rig = openServerMirror(factory, mirror, { GITHUB_TOKEN: 'good-token' });
  expect(await rig.run()).toMatchObject({ created: 3, detached: 0, error: null });
  await rig.room.tasks.call('comment', { ref: rig.taskOf('acme/web#1'), text: 'Seen.' }, PERSON);
  expect(await rig.run({ full: true })).toMatchObject({
    created: 0,
    commentsOut: 1,
    detached: 0,
    error: null,
  });
  expect(issues[0]!.comments).toHaveLength(1);
  expect(listed()).toBeLessThan(20);
});
