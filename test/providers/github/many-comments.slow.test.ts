// A repository with more comments than github.com lists: what a first mirror of it costs, and that nothing is missed.
import { expect, onTestFinished, test } from 'vitest';
import { listAll } from '../../conformance/provider-harness.ts';
import { startGithub } from './harness.ts';

test('comments above 50,000 are read by the hundred', { timeout: 300_000 }, async () => {
  const github = await startGithub();
  onTestFinished(() => github.close());
  const [issues, each] = [8_000, 7];
  for (let at = 0; at < issues; at += 1) {
    const issue = github.issue({ title: `Issue ${at}` });
    // Of one second: a list ends between them.
    for (let n = 0; n < each; n += 1) github.say(issue, `comment ${n}`);
    github.later(1);
  }
  const provider = await github.open();
  const { items } = await listAll(provider, null);
  expect(items.flatMap(({ comments }) => comments.items)).toHaveLength(issues * each);
  expect(provider.usage().requests).toBeLessThanOrEqual(issues / 100 + (issues * each) / 100 + 2 + 2);
});
