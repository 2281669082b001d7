// What an examination finds, and how many alike become lines of it.

export interface Finding {
  /** What was looked at, one word. */
  name: string;
  state: 'ok' | 'warn' | 'fail';
  text: string;
  /** How to mend it; null when there is nothing to mend. */
  hint: string | null;
}

/** What arrives as webhooks, and what is missing. */
export interface WebhookExam {
  healthy: boolean;
  /** Where they are heard now; null for nowhere. */
  address: string | null;
  checks: (Omit<Finding, 'name'> & { about: string })[];
  /** All that came in so far, by event or by why it was refused. */
  deliveries: { provider: string; chore: string | null; what: string; count: number; at: string }[];
}

const MAX_LISTED = 20;

export function ok(name: string, text: string): Finding[] {
  return [{ name, state: 'ok', text, hint: null }];
}

/** One finding each, the rest counted, so that a broken room does not fill the screen. */
export function each(
  name: string,
  state: 'warn' | 'fail',
  texts: readonly string[],
  hint: string,
): Finding[] {
  const shown = texts.slice(0, MAX_LISTED).map((text): Finding => ({ name, state, text, hint }));
  const more = texts.length - shown.length;
  return more > 0 ? [...shown, { name, state, text: `and ${more} more`, hint: null }] : shown;
}
