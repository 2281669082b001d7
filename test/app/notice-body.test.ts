import { expect, test } from 'vitest';
import { noticePost } from '../../src/app/send-notice.ts';
import type { OutgoingNotice } from '../../src/pulse/ports.ts';
import { failureOf } from '../tasks/test-room.ts';

const NOTICE: OutgoingNotice = {
  ...{ seq: 7, at: Date.UTC(2026, 10, 20, 10), kind: 'question', author: 'taskroom', task: null },
  ...{ name: 'Größe & <Maß>', text: 'coder asks: <!channel> a & b?\ntaskroom answer abc' },
};
const post = (format: 'json' | 'ntfy' | 'slack', address: string, over: Partial<OutgoingNotice> = {}) => {
  const { body, ...rest } = noticePost(format, address, '/room', { ...NOTICE, ...over });
  return { ...rest, body: JSON.parse(body) };
};

test.each([
  ['https://ntfy.sh/my-topic', 'https://ntfy.sh/', 'my-topic'],
  ['https://push.example/base/my-topic/', 'https://push.example/base/', 'my-topic'],
])('ntfy gets its topic from %s', (address, url, topic) => {
  const sent = post('ntfy', address);
  expect(sent.url).toBe(url);
  expect(sent.body).toEqual({ topic, title: NOTICE.name, message: NOTICE.text, tags: ['question'] });
});

test('what is long is cut below what ntfy makes an attachment of', () => {
  const { body } = post('ntfy', 'https://ntfy.sh/t', { text: 'ß'.repeat(10_000) });
  expect(Buffer.byteLength(body.message)).toBeLessThan(4_096);
  expect(body.message).toMatch(/^ß+ …$/);
});

test('Slack gets a text that can neither mention nor link', () => {
  expect(post('slack', 'https://hooks.slack.example/services/T/B/x').body).toEqual({
    text: '*Größe &amp; &lt;Maß&gt;*\ncoder asks: &lt;!channel&gt; a &amp; b?\ntaskroom answer abc',
  });
  expect(
    post('slack', 'https://hooks.slack.example/x', { author: 'agent:coder', name: null, text: 'Look.' }).body,
  ).toEqual({ text: 'coder: Look.' });
});

test('credentials in the address become a header', () => {
  const basic = post('ntfy', 'https://me:p%40ss@ntfy.example/t');
  expect(basic).toMatchObject({
    url: 'https://ntfy.example/',
    headers: { authorization: `Basic ${Buffer.from('me:p@ss').toString('base64')}` },
  });
  expect(post('json', 'https://:tk_abc@ntfy.example/t')).toMatchObject({
    url: 'https://ntfy.example/t',
    headers: { authorization: 'Bearer tk_abc' },
  });
});

test.each(['nothing', 'file:///etc/passwd', 'https://ntfy.sh/'])(
  '%s is refused, without its words',
  async (address) => {
    const failure = await failureOf((async () => noticePost('ntfy', address, '/room', NOTICE))());
    expect(failure.code).toBe('bad_input');
    expect(failure.message).not.toContain(address);
  },
);
