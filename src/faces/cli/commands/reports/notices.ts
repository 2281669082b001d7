// `taskroom notices`: lists what agents told the person.
import { noticeJson } from '../../../shapes/json-shapes.ts';
import type { CommandModule } from '../../command.ts';
import { cleanLine } from '../../lines/display-text.ts';
import { noticeText } from '../../lines/status-lines.ts';

export const command: CommandModule = {
  about: 'Lists what agents told you with notify, newest first, and whether it could be sent.',
  arguments: [],
  options: [{ flags: '--limit <number>', about: 'at most this many (default 20)' }],
  examples: [
    ['taskroom notices', 'the latest'],
    ['taskroom notices --json', '{"notices":[…]}'],
  ],
  async run({ options, json, terminal, paint, openRoom }) {
    const runtime = await openRoom({ readOnly: true });
    const notices = await runtime.tasks.notices({ limit: options.whole('limit', 1) ?? 20 });
    if (json) return void terminal.write(`${JSON.stringify({ notices: notices.map(noticeJson) })}\n`);
    if (notices.length === 0) return void terminal.write(`${paint('dim', 'nobody told you anything')}\n`);
    for (const notice of notices) {
      const sign = notice.told ? ' ' : paint('magenta', '✉');
      const failed = notice.lastError === null ? '' : paint('dim', ` (not sent: ${notice.lastError})`);
      terminal.write(`${sign} ${cleanLine(noticeText(notice))}${failed}\n`);
    }
    const untold = notices.filter(({ told }) => !told).map(({ seq }) => seq);
    if (untold.length > 0) await runtime.tasks.markNoticesTold(untold);
  },
};
