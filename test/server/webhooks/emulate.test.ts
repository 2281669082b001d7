// Deliveries that nobody here wrote or signed: those of `emulate`'s GitHub and Linear, on their way to the listener.
import { createEmulator } from 'emulate';
import { expect, onTestFinished, test } from 'vitest';
import { GITHUB_SECRET, LINEAR_SECRET, openHookRoom } from './hook-room.ts';

test("GitHub's: each thing that happens to an issue names it", async () => {
  const { listener, told, counted } = await openHookRoom();
  const emulator = await createEmulator({
    service: 'github',
    port: 0,
    seed: {
      tokens: { token: { login: 'codertocat', scopes: ['repo', 'admin:repo_hook'] } },
      github: { users: [{ login: 'codertocat' }], repos: [{ owner: 'codertocat', name: 'hello-world' }] },
    },
  });
  onTestFinished(() => emulator.close());
  const call = async (method: string, path: string, body: object) => {
    const headers = { authorization: 'token token', 'content-type': 'application/json' };
    const url = `${emulator.url}/repos/codertocat/hello-world${path}`;
    expect((await fetch(url, { method, headers, body: JSON.stringify(body) })).ok, path).toBe(true);
  };
  const config = { url: `${listener.address}/hooks/github`, content_type: 'json', secret: GITHUB_SECRET };
  await call('POST', '/hooks', { config, events: ['issues', 'issue_comment'], active: true });
  await call('POST', '/issues', { title: 'One', body: 'Words.' });
  await call('PATCH', '/issues/1', { title: 'Uno' });
  await call('POST', '/issues/1/comments', { body: 'Said.' });
  await call('PATCH', '/issues/1', { state: 'closed' });
  await expect.poll(() => told.length, { timeout: 20_000 }).toBe(4);
  expect(new Set(told.map(({ ref }) => ref))).toEqual(new Set(['codertocat/hello-world#1']));
  const counts = counted();
  expect(Object.keys(counts).filter((what) => what.includes('refused'))).toEqual([]);
  expect(counts).toMatchObject({
    'github web issues.opened': 1,
    'github web issues.edited': 1,
    'github web issues.closed': 1,
    'github web issue_comment.created': 1,
  });
});

test("Linear's: an issue and a comment name the issue", async () => {
  const { listener, told, counted } = await openHookRoom();
  const emulator = await createEmulator({
    service: 'linear',
    port: 0,
    seed: {
      linear: {
        users: [{ email: 'ann@example.com', name: 'Ann', admin: true }],
        teams: [{ key: 'ENG', name: 'Engineering' }],
        tokens: [{ token: 'anns-token', user: 'ann@example.com', scopes: ['read', 'write', 'admin'] }],
      },
    },
  });
  onTestFinished(() => emulator.close());
  // biome-ignore lint/suspicious/noExplicitAny: each answer has a shape of its own.
  const call = async (query: string, variables: object = {}): Promise<any> => {
    const headers = { authorization: 'anns-token', 'content-type': 'application/json' };
    const body = JSON.stringify({ query, variables });
    const response = await fetch(`${emulator.url}/graphql`, { method: 'POST', headers, body });
    const { data, errors } = (await response.json()) as { data: unknown; errors?: unknown };
    expect(errors).toBe(undefined);
    return data;
  };
  await call('mutation($input: WebhookCreateInput!) { webhookCreate(input: $input) { success } }', {
    input: {
      url: `${listener.address}/hooks/linear`,
      secret: LINEAR_SECRET,
      resourceTypes: ['Issue', 'Comment'],
    },
  });
  const { teams } = await call('{ teams(first: 99) { nodes { id key } } }');
  const team = teams.nodes.find(({ key }: { key: string }) => key === 'ENG');
  const { issueCreate } = await call(
    'mutation($input: IssueCreateInput!) { issueCreate(input: $input) { issue { id identifier } } }',
    { input: { teamId: team.id, title: 'One' } },
  );
  const { id, identifier } = issueCreate.issue;
  await call('mutation($input: CommentCreateInput!) { commentCreate(input: $input) { success } }', {
    input: { issueId: id, body: 'Said.' },
  });
  await expect.poll(() => told.length, { timeout: 20_000 }).toBe(2);
  expect(told[0]!.ref).toBe(identifier);
  expect([identifier, null]).toContain(told[1]!.ref);
  expect(counted()).toMatchObject({ 'linear web Issue.create': 1 });
});
