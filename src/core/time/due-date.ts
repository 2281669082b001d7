// The dates that `due:` may hold: a day, or a day with a time.

const DUE =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?(Z|[+-](?:0\d|1[0-4]):?[0-5]\d)?)?$/;

/**
 * A due date as ISO text that `Date.parse` reads: without a zone it is local time, and a day lasts to its end.
 * @returns null for what is no date
 */
export function readDue(text: string): string | null {
  const match = DUE.exec(text.trim());
  if (match === null) return null;
  const [, year, month, day, hour, minute, second = '00', zone = ''] = match;
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  if (date.getUTCMonth() !== Number(month) - 1 || date.getUTCDate() !== Number(day)) return null;
  if (hour === undefined) return `${year}-${month}-${day}T23:59:59.999`;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return null;
  return `${year}-${month}-${day}T${hour}:${minute}:${second}${zone}`;
}

/** The moment of a due date, epoch ms; null without one that can be read. Days end in this machine's time zone. */
export function dueMoment(due: string | null): number | null {
  const text = due === null ? null : readDue(due);
  return text === null ? null : Date.parse(text);
}
