// GitHub's webhooks by the payloads GitHub sends: every example its own collection has, signed by its own library.
import { sign } from '@octokit/webhooks-methods';
import { describe, expect, test } from 'vitest';
import { githubFactory } from '../../../src/providers/github/github.ts';
import type { WebhookDelivery } from '../../../src/providers/provider.ts';
import { GITHUB_PAYLOADS } from '../../support/github-payloads.ts';
import { githubSource } from './harness.ts';

const SECRET = 'a secret of the room';
const { webhooks } = githubFactory;

async function delivery(event: string, text: string, secret = SECRET): Promise<WebhookDelivery> {
  const headers: Record<string, string> = {
    'x-github-event': event,
    'x-hub-signature-256': await sign(secret, text),
  };
  return { header: (name) => headers[name] ?? null, body: Buffer.from(text) };
}

test('of every payload GitHub has an example of, only the issue is named, and only where there is one', async () => {
  let named = 0;
  let pulls = 0;
  for (const { name, examples } of GITHUB_PAYLOADS) {
    for (const example of examples) {
      const read = await webhooks!.read(await delivery(name, JSON.stringify(example)), SECRET);
      const { action, issue, repository } = example;
      const suite = example.check_suite ?? example.workflow_run;
      const spoken = example.pull_request ? [example.pull_request] : (suite?.pull_requests ?? []);
      const found: { number: number; node_id?: string; pull_request?: object }[] = issue ? [issue] : spoken;
      expect(read, `${name} ${action}`).toEqual({
        event: action === undefined ? name : `${name}.${action}`,
        issues: found.map(({ number, node_id: uid = null, pull_request }) => ({
          ref: `${repository!.full_name}#${number}`,
          uid,
          ...(issue === undefined || pull_request !== undefined ? { isPull: true } : {}),
        })),
      });
      named += found.length;
      pulls += Number(issue === undefined && found.length > 0);
    }
  }
  expect(named).toBeGreaterThan(50);
  expect(pulls).toBeGreaterThan(40);
});

test('a pull request concerns the sources that mirror them', () => {
  const pull = { ref: 'acme/web#7', uid: null, isPull: true };
  const [plain, all] = [githubSource(''), githubSource('', { options: { pull_requests: true } })];
  expect(webhooks!.concerns!(pull, plain)).toBe(false);
  expect(webhooks!.concerns!(pull, all)).toBe(true);
  expect(webhooks!.concerns!({ ref: 'acme/web#7', uid: null }, plain)).toBe(true);
  const events = (config: typeof plain) => webhooks!.wanted(config).map(({ event }) => event);
  expect(events(plain)).toEqual(['issues', 'issue_comment']);
  expect(events(all)).toEqual(['issues', 'issue_comment', 'pull_request']);
});

describe('what is not proven is refused', () => {
  const text = JSON.stringify(GITHUB_PAYLOADS.find(({ name }) => name === 'issues')!.examples[0]);

  test('no signature, another secret, changed words, the old kind of signature', async () => {
    const good = await delivery('issues', text);
    expect(await webhooks!.read(good, SECRET)).toHaveProperty('issues');
    expect(await webhooks!.read({ ...good, header: () => null }, SECRET)).toEqual({ refused: 'unsigned' });
    expect(await webhooks!.read(good, 'another secret')).toEqual({ refused: 'wrong_signature' });
    const changed = { ...good, body: Buffer.from(text.replace('"number":1', '"number":2')) };
    expect(changed.body.equals(good.body)).toBe(false);
    expect(await webhooks!.read(changed, SECRET)).toEqual({ refused: 'wrong_signature' });
    for (const signature of ['sha256=', 'sha1=0', 'x'.repeat(71), 'sha256=é'])
      expect(await webhooks!.read({ ...good, header: () => signature }, SECRET)).toEqual({
        refused: 'wrong_signature',
      });
  });

  test('bytes that are no text, an empty body, and signed words that are no payload', async () => {
    const bytes = { ...(await delivery('issues', text)), body: Buffer.from([0xff, 0xfe, 0x00]) };
    expect(await webhooks!.read(bytes, SECRET)).toEqual({ refused: 'wrong_signature' });
    expect(await webhooks!.read({ ...bytes, body: Buffer.alloc(0) }, SECRET)).toEqual({
      refused: 'wrong_signature',
    });
    for (const odd of ['[1', 'null', '"issue"', '7'])
      expect(await webhooks!.read(await delivery('issues', odd), SECRET)).toEqual({ refused: 'malformed' });
  });

  test('a signed payload of odd shape names nothing', async () => {
    for (const odd of [
      ...['{}', '{"issue":null}', '{"issue":{"number":"1"},"repository":{"full_name":"../x"}}'],
      '{"issue":{"number":-1},"repository":null}',
      ...['{"issue":{"number":1e99},"repository":{"full_name":"acme/web"}}', '[]'],
    ])
      expect(await webhooks!.read(await delivery('issues', odd), SECRET)).toMatchObject({ issues: [] });
  });
});

test('where they are set up follows from the source', () => {
  expect(webhooks!.settingsOf(githubSource('https://api.github.com', { url: null }))).toBe(
    'https://github.com/acme/web/settings/hooks',
  );
  expect(webhooks!.settingsOf(githubSource('https://git.acme.org/api/v3'))).toBe(
    'https://git.acme.org/acme/web/settings/hooks',
  );
});
