// `taskroom hooks check`: what arrives as webhooks, and what is missing.
import { RoomError } from '../../../../core/errors.ts';
import { isoOrNull } from '../../../../core/time/iso-time.ts';
import type { WebhookExam } from '../../../../runtime.ts';
import type { Call, CommandModule } from '../../command.ts';
import { OK, UNHEALTHY } from '../../exit-codes.ts';
import { cleanLine, fit } from '../../lines/display-text.ts';
import { withDocsFolder } from '../../lines/docs-address.ts';
import { lengthOf } from '../../lines/time-text.ts';
import type { Color } from '../../paint.ts';

export const command: CommandModule = {
  about: "Says which webhooks of trackers arrive, and what is missing for the room's mirrors to hear theirs.",
  arguments: [{ name: 'action', about: 'check: the only one there is' }],
  options: [],
  examples: [
    ['taskroom hooks check', 'what arrived, and what to set up at the tracker'],
    ["taskroom hooks check --json | jq '.deliveries'", 'counts by event and by why they were refused'],
  ],
  notes: `Asks nobody over the network. Exit code 0 when nothing fails, else 6.
With --json: {"healthy","address","checks":[{"about","state","text","hint"}],
"deliveries":[{"provider","chore","what","count","at"}]}; chore is null for those that concern none.`,
  async run(call) {
    const [action] = call.words;
    if (action !== 'check')
      throw new RoomError('bad_input', `${JSON.stringify(action)} is nothing to do with webhooks`, {
        hint: 'expected: taskroom hooks check',
      });
    const runtime = await call.openRoom({ readOnly: true });
    const exam = await runtime.examineWebhooks();
    const healthy = exam.found.every(({ state }) => state !== 'fail');
    call.terminal.write(call.json ? toJson(exam, healthy) : render(exam, call));
    return healthy ? OK : UNHEALTHY;
  },
};

function toJson({ address, found, deliveries }: WebhookExam, healthy: boolean): string {
  const counts = deliveries.map(({ chore, at, ...rest }) => ({
    ...rest,
    chore: chore === '' ? null : chore,
    at: isoOrNull(at),
  }));
  return `${JSON.stringify({ healthy, address, checks: found, deliveries: counts })}\n`;
}

const SIGNS: Readonly<Record<WebhookExam['found'][number]['state'], readonly [string, Color]>> = {
  ok: ['✓', 'green'],
  warn: ['!', 'yellow'],
  fail: ['✗', 'red'],
};
const ABOUT_CELLS = 16;

function render({ found, deliveries }: WebhookExam, { paint, effects }: Call): string {
  const lines = found.flatMap(({ about, state, text, hint }) => {
    const [glyph, color] = SIGNS[state];
    const head = `${paint(color, glyph)} ${fit(cleanLine(about), ABOUT_CELLS)} ${cleanLine(text)}`;
    const indent = ' '.repeat(ABOUT_CELLS + 3);
    return hint === null ? [head] : [head, paint('dim', `${indent}${cleanLine(withDocsFolder(hint))}`)];
  });
  const now = effects.now();
  const counts = deliveries.map(({ provider, chore, what, count, at }) => {
    const whose = fit(cleanLine(chore === '' ? provider : chore), ABOUT_CELLS);
    return `  ${whose} ${fit(cleanLine(what), 28)} ${String(count).padStart(7)}  last ${lengthOf(now - at)} ago`;
  });
  return `${[...lines, ...(counts.length === 0 ? [] : ['', ...counts])].join('\n')}\n`;
}
