import { afterEach, beforeEach, describe, expect, test } from 'vitest';
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
