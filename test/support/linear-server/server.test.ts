import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MAX_TEXT } from './mutations.ts';
import { rewriteMarkdown } from './rewrite-markdown.ts';
import { createLinearServer, type LinearServer } from './server.ts';

let server: LinearServer;
beforeEach(async () => {
  server = await createLinearServer();
});
afterEach(() => server.close());

interface Reply {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: answers of many shapes, looked into by hand
  data: any;
  codes: string[];
  messages: string[];
}

async function ask(query: string, variables: object = {}, key = 'lin_api_good'): Promise<Reply> {
  const headers = { authorization: key, 'content-type': 'application/json' };
  const response = await fetch(server.url, {
    method: 'POST',
    headers,
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors = [] } = (await response.json()) as {
    data: unknown;
    errors?: { message: string; extensions: { code: string } }[];
  };
  return {
    status: response.status,
    headers: response.headers,
    data,
    codes: errors.map(({ extensions }) => extensions.code),
    messages: errors.map(({ message }) => message),
  };
}

const ISSUES = `query Q($filter: IssueFilter, $first: Int, $after: String, $last: Int, $before: String, $archived: Boolean) {
  issues(filter: $filter, first: $first, after: $after, last: $last, before: $before, orderBy: updatedAt, includeArchived: $archived) {
    nodes { identifier updatedAt } pageInfo { startCursor endCursor hasNextPage hasPreviousPage }
  }
}`;

async function identifiers(variables: object): Promise<string[]> {
  const { data } = await ask(ISSUES, variables);
  return data.issues.nodes.map(({ identifier }: { identifier: string }) => identifier);
}

describe('who asks', () => {
  test('a bad key is 401 with an authentication error', async () => {
    expect(await ask('{ viewer { id } }', {}, 'nonsense')).toMatchObject({
      status: 401,
      data: null,
      codes: ['AUTHENTICATION_ERROR'],
    });
  });

  test('a key and a bearer token are taken', async () => {
    for (const key of ['lin_api_good', 'Bearer lin_api_good']) {
      expect((await ask('{ viewer { name isMe } }', {}, key)).data.viewer).toEqual({
        name: 'Bot',
        isMe: true,
      });
    }
  });
});

describe('budgets', () => {
  test('each answer tells what is left, on the clock of the server', async () => {
    const { headers } = await ask('{ viewer { id name } }');
    expect(headers.get('x-ratelimit-requests-limit')).toBe('5000');
    expect(headers.get('x-ratelimit-requests-remaining')).toBe('4999');
    expect(Number(headers.get('x-ratelimit-requests-reset'))).toBe(server.state.now + 3_600_000);
    expect(headers.get('x-complexity')).toBe('2');
    expect(headers.get('x-ratelimit-complexity-remaining')).toBe('2999998');
    expect(Date.parse(headers.get('date') ?? '')).toBe(server.state.now);
  });

  test('too many requests are HTTP 400 with the code RATELIMITED, until the hour is over', async () => {
    server.budgets.requests.remaining = 1;
    expect((await ask('{ viewer { id } }')).status).toBe(200);
    expect(await ask('{ viewer { id } }')).toMatchObject({ status: 400, codes: ['RATELIMITED'] });
    server.tick(3_600_000);
    expect((await ask('{ viewer { id } }')).status).toBe(200);
  });

  test('points are counted by page, and a document of more than 10,000 is refused', async () => {
    const { headers } = await ask('{ issues(first: 10) { nodes { id labels(first: 5) { nodes { id } } } } }');
    expect(headers.get('x-complexity')).toBe(String(Math.ceil(10 * (1.1 + 5 * 1.1))));
    const heavy = '{ issues(first: 250) { nodes { id comments { nodes { id } } } } }';
    expect(await ask(heavy)).toMatchObject({ status: 400, messages: ['Query too complex'] });
  });

  test('what the schema does not have is a validation error', async () => {
    expect(await ask('{ issues { nodes { nonsense } } }')).toMatchObject({
      status: 400,
      codes: ['GRAPHQL_VALIDATION_FAILED'],
    });
  });
});

describe('pages and filters', () => {
  test('newest change first, by cursors in both directions', async () => {
    for (let at = 0; at < 5; at += 1) {
      server.tick(1);
      server.person.addIssue();
    }
    expect(await identifiers({})).toEqual(['ENG-5', 'ENG-4', 'ENG-3', 'ENG-2', 'ENG-1']);
    const { data } = await ask(ISSUES, { last: 2 });
    expect(data.issues.nodes.map(({ identifier }: { identifier: string }) => identifier)).toEqual([
      'ENG-2',
      'ENG-1',
    ]);
    expect(data.issues.pageInfo).toMatchObject({ hasPreviousPage: true, hasNextPage: false });
    const { startCursor, endCursor } = data.issues.pageInfo;
    expect(await identifiers({ last: 2, before: startCursor })).toEqual(['ENG-4', 'ENG-3']);
    expect(await identifiers({ first: 9, after: endCursor })).toEqual([]);
    server.tick(1);
    server.person.editIssue('ENG-1', { title: 'now newest' });
    expect((await identifiers({}))[0]).toBe('ENG-1');
  });

  test('team, time, labels, assignee and type of state', async () => {
    const { person, state } = server;
    person.addIssue({ labels: ['agent', 'web'], assignee: state.users[0]! });
    person.addIssue({ labels: ['agent'], state: 'Done' });
    server.tick(10);
    const since = new Date(state.now).toISOString();
    person.addIssue();
    const some = (name: string) => ({ labels: { some: { name: { eqIgnoreCase: name } } } });
    const cases: [object, string[]][] = [
      [{ team: { key: { eq: 'OPS' } } }, []],
      [{ updatedAt: { gte: since } }, ['ENG-3']],
      [{ updatedAt: { gt: since } }, []],
      [{ and: [some('AGENT'), some('web')] }, ['ENG-1']],
      [{ assignee: { isMe: { eq: true } } }, ['ENG-1']],
      [{ assignee: { null: true } }, ['ENG-2', 'ENG-3']],
      [{ state: { type: { nin: ['completed'] } } }, ['ENG-1', 'ENG-3']],
      [{ number: { in: [2, 3] } }, ['ENG-2', 'ENG-3']],
    ];
    for (const [filter, expected] of cases) {
      expect((await identifiers({ filter })).sort(), JSON.stringify(filter)).toEqual(expected);
    }
  });

  test('archived issues come when they are asked for; a comment does not touch its issue', async () => {
    const ref = server.person.addIssue();
    const { updatedAt } = server.state.issues[0]!;
    server.tick(1);
    server.person.addComment(ref, 'words');
    expect(server.state.issues[0]!.updatedAt).toBe(updatedAt);
    server.person.archiveIssue(ref);
    expect(await identifiers({})).toEqual([]);
    expect(await identifiers({ archived: true })).toEqual([ref]);
  });

  test('an issue that moved is found by its old identifier', async () => {
    const ref = server.person.addIssue();
    const { addTeam } = await import('./records.ts');
    addTeam(server.state, 'OPS');
    expect(server.person.moveIssue(ref, 'OPS')).toBe('OPS-1');
    const { data } = await ask('query($id: String!) { issue(id: $id) { identifier previousIdentifiers } }', {
      id: ref,
    });
    expect(data.issue).toEqual({ identifier: 'OPS-1', previousIdentifiers: ['ENG-1'] });
    expect(await ask('{ issue(id: "ENG-99") { id } }')).toMatchObject({ data: null, codes: ['INPUT_ERROR'] });
  });
});

describe('writes', () => {
  const CREATE =
    'mutation($input: IssueCreateInput!) { issueCreate(input: $input) { issue { id identifier description } } }';
  const COMMENT =
    'mutation($input: CommentCreateInput!) { commentCreate(input: $input) { comment { id body } } }';

  test('an id is taken once, in the form of a UUID of version 4, and never again', async () => {
    const id = randomUUID();
    const input = { id, teamId: server.state.teams[0]!.id, title: 'One', description: '- a' };
    expect((await ask(CREATE, { input })).data.issueCreate.issue).toEqual({
      id,
      identifier: 'ENG-1',
      description: '* a',
    });
    const again = await ask(CREATE, { input });
    expect(again).toMatchObject({ data: null, messages: ['Entity already exists'] });
    server.person.destroyIssue('ENG-1');
    expect((await ask(CREATE, { input })).messages).toEqual(['Entity already exists']);
    const odd = { ...input, id: '00000000-0000-1000-8000-000000000000' };
    expect((await ask(CREATE, { input: odd })).codes).toEqual(['INPUT_ERROR']);
  });

  test('texts above 250,000 characters, empty comments and comments of others are refused', async () => {
    const issueId = server.person.addIssue();
    const long = 'x'.repeat(MAX_TEXT + 1);
    for (const body of [long, ' ', '']) {
      expect((await ask(COMMENT, { input: { issueId, body } })).codes).toEqual(['INPUT_ERROR']);
    }
    expect((await ask(COMMENT, { input: { issueId, body: long.slice(1) } })).codes).toEqual([]);
    const id = server.person.addComment(issueId, 'theirs');
    const edit = 'mutation($id: String!) { commentUpdate(id: $id, input: { body: "mine" }) { success } }';
    expect((await ask(edit, { id })).codes).toEqual(['FORBIDDEN']);
  });
});

test('markdown comes back as Linear writes it', () => {
  const cases: [string, string][] = [
    ['- a\n- b\n  + c', '* a\n* b\n  * c'],
    ['_a_ __b__ *c* **d** snake_case', '*a* **b** *c* **d** snake_case'],
    [
      'see https://example.org/a_b, and <https://x.org>',
      'see <https://example.org/a_b>, and <https://x.org>',
    ],
    ['[text](https://example.org) `https://code.org`', '[text](https://example.org) `https://code.org`'],
    ['1. a\n1. b\n1. c', '1. a\n2. b\n3. c'],
    ['3) a\n3) b', '3) a\n4) b'],
    ['a   \nb\t\n\n\n\nc\n\n', 'a\nb\n\nc'],
    ['Title\n=====\ntext', '# Title\n\ntext'],
    ['* * *\n\n***\n___', '---\n\n---\n\n---'],
    ['- [X] a\n- [ ] b', '* [x] a\n* [ ] b'],
    ['```\n- a  \n\n\n\n_b_\n```', '```\n- a  \n\n\n\n_b_\n```'],
    ['one\r\ntwo', 'one\ntwo'],
    ['', ''],
  ];
  for (const [given, expected] of cases) expect(rewriteMarkdown(given), given).toBe(expected);
});
