// Linear's webhooks by the payloads its documentation shows, signed as it says: HMAC-SHA256 of the body in hex, and a time
// in the body that may be a minute old.
import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { linearFactory } from '../../../src/providers/linear/linear.ts';
import type { WebhookDelivery } from '../../../src/providers/provider.ts';

const SECRET = 'lin_wh_secret';
const { webhooks } = linearFactory;
const UID = '2174add1-f7c8-44e3-bbf3-2d60b5ea8bc9';

/** The comment of Linear's page on webhooks, and an issue of the same form. */
const COMMENT = {
  action: 'create',
  type: 'Comment',
  actor: { id: 'b5ea5f1f-8adc-4f52-b4bd-ab4e84cf51ba', type: 'user', name: 'Alice' },
  createdAt: '2020-01-23T12:53:18.084Z',
  data: {
    id: '3f2a1f59-8fb9-41e8-b3f7-b9ad4b4c2a7b',
    createdAt: '2020-01-23T12:53:18.084Z',
    updatedAt: '2020-01-23T12:53:18.084Z',
    body: 'Indeed, I think this is definitely an improvement over the previous version.',
    edited: false,
    issueId: UID,
    userId: 'aacdca22-6266-4c0a-ab3c-8fa70a26765c',
    issue: { id: UID, title: 'Better landing page' },
  },
  url: 'https://linear.app/acme/issue/ENG-1778/better-landing-page#comment-77217de3',
  organizationId: 'acme',
  webhookId: '000042e3-d123-4980-b49f-8e140eef9329',
};
const ISSUE = {
  action: 'update',
  type: 'Issue',
  createdAt: '2020-01-23T12:53:18.084Z',
  data: { id: UID, identifier: 'ENG-42', title: 'Better landing page', number: 42, team: { key: 'ENG' } },
  updatedFrom: { title: 'Landing page' },
  url: 'https://linear.app/acme/issue/ENG-42/better-landing-page',
};

function delivery(payload: unknown, secret = SECRET, ageMs = 0): WebhookDelivery {
  const timed =
    payload !== null && typeof payload === 'object'
      ? { ...payload, webhookTimestamp: Date.now() - ageMs }
      : payload;
  return signed(Buffer.from(JSON.stringify(timed)), secret);
}

function signed(body: Buffer, secret = SECRET): WebhookDelivery {
  const signature = createHmac('sha256', secret).update(body).digest('hex');
  return { header: (name) => (name === 'linear-signature' ? signature : null), body };
}

test('an issue and a comment name the issue they are about', async () => {
  expect(await webhooks!.read(delivery(ISSUE), SECRET)).toEqual({
    event: 'Issue.update',
    issues: [{ ref: 'ENG-42', uid: UID }],
  });
  expect(await webhooks!.read(delivery(COMMENT), SECRET)).toEqual({
    event: 'Comment.create',
    issues: [{ ref: 'ENG-1778', uid: UID }],
  });
  // A comment below a project has no issue; one without an address is known by the issue's identity.
  const { url: _, ...bare } = COMMENT;
  expect(await webhooks!.read(delivery(bare), SECRET)).toMatchObject({ issues: [{ ref: null, uid: UID }] });
  const below = { ...COMMENT, data: { id: 'c', projectUpdateId: 'p' } };
  expect(await webhooks!.read(delivery(below), SECRET)).toMatchObject({ issues: [] });
});

test('what is about something else names nothing', async () => {
  for (const type of ['Project', 'Cycle', 'IssueLabel', 'Reaction', 'OAuthApp', 7, null])
    expect(await webhooks!.read(delivery({ ...ISSUE, type }), SECRET)).toMatchObject({ issues: [] });
  for (const data of [null, 'x', {}, { id: 7 }])
    expect(await webhooks!.read(delivery({ ...ISSUE, data }), SECRET)).toMatchObject({ issues: [] });
});

test('what is not proven, or was signed more than a minute ago, is refused', async () => {
  const good = delivery(ISSUE);
  expect(await webhooks!.read({ ...good, header: () => null }, SECRET)).toEqual({ refused: 'unsigned' });
  expect(await webhooks!.read(delivery(ISSUE, 'another'), SECRET)).toEqual({ refused: 'wrong_signature' });
  const changed = { ...good, body: Buffer.from(good.body.toString().replace('ENG-42', 'ENG-43')) };
  expect(await webhooks!.read(changed, SECRET)).toEqual({ refused: 'wrong_signature' });
  expect(await webhooks!.read(delivery(ISSUE, SECRET, 61_000), SECRET)).toEqual({ refused: 'old' });
  expect(await webhooks!.read(delivery(ISSUE, SECRET, -61_000), SECRET)).toEqual({ refused: 'old' });
  expect(await webhooks!.read(signed(Buffer.from(JSON.stringify(ISSUE))), SECRET)).toEqual({
    refused: 'old',
  });
  expect(await webhooks!.read(signed(Buffer.from('{ broken')), SECRET)).toEqual({ refused: 'malformed' });
  for (const odd of ['null', '7', '[]'])
    expect(await webhooks!.read(signed(Buffer.from(odd)), SECRET)).toHaveProperty('refused');
});
