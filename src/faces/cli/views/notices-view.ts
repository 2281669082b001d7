// What agents told the person, a line each.
import type { OutputOf } from '../../../operations/client.ts';
import { cleanLine } from '../lines/display-text.ts';
import { noticeText } from '../lines/status-lines.ts';
import type { Paint } from '../paint.ts';

export function noticeLines({ notices }: OutputOf<'listNotices'>, paint: Paint): string[] {
  if (notices.length === 0) return [paint('dim', 'nobody told you anything')];
  return notices.map((notice) => {
    const sign = notice.told ? ' ' : paint('magenta', '✉');
    const failed = notice.error === null ? '' : paint('dim', ` (not sent: ${cleanLine(notice.error)})`);
    return `${sign} ${cleanLine(noticeText(notice))}${failed}`;
  });
}
