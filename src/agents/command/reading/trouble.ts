// What an agent's words of failure mean, and when a usage limit ends. Pure: clock and zone come in. A status of the agent's
// provider decides where there is one, else the words.
import { valueOr } from '../../../core/errors.ts';
import type { AgentTrouble, TroubleKind } from '../../../core/rules/turn.ts';
import { isTimezone, nextTick } from '../../../core/time/schedule.ts';
import type { Effects } from '../../../effects.ts';
import { oneLine } from './fields.ts';

/** The clock that words such as "at 4:21 AM" are read by. */
export interface WordClock {
  now: number; // Epoch ms.
  zone: string; // IANA zone for times that name none.
}

export function wordClock({ env, now }: Pick<Effects, 'env' | 'now'>): WordClock {
  return { now: now(), zone: env.TZ || new Intl.DateTimeFormat().resolvedOptions().timeZone };
}

export interface TroubleFacts {
  kind?: TroubleKind | undefined;
  status?: unknown;
  until?: unknown; // When a limit ends, epoch in seconds or ms, where the agent says so beside its words.
}

const LONGEST = 500;

const FORBIDDEN =
  /\b403\b|\bforbidden\b|(country|region|territory|location).{0,20}not (supported|available)|permission.?denied|denied access/i;
// The first that fits. Words of the five programs and their providers, as recorded in the tests' fixtures.
const WORDS: Readonly<Partial<Record<TroubleKind, RegExp>>> = {
  overload: /overloaded|\b(503|529)\b|service unavailable|(high|too much) demand|at capacity/i,
  limit:
    /(usage|rate|request|token|session|weekly|hourly|daily|spend(ing)?) limit|hit your .*limit|limit (has been )?reached|quota|too many requests|resource.?exhausted|out of (extra )?usage|rate.?limited/i,
  context:
    /prompt (is|as) too long|context (window|length|limit)|input (token count|is too long)|exceeds? the (maximum number of tokens|model'?s? (max|token|context))|maximum (prompt|context) (length|size)|context_length_exceeded|ran out of room/i,
  credentials:
    /api[ _-]?key|x-api-key|unauthori[sz]ed|not (logged|signed) in|log ?in|authenticat|authori[sz]ation|credentials?\b|access token|(oauth|refresh) token|\/login|GEMINI_API_KEY|auth method/i,
  session:
    /no (conversation|rollout|session|saved session)s? found|session (not found|.*does not exist)|invalid session|no session,? task|error resuming session/i,
  model:
    /model.{0,80}(not (found|supported|available|exist)|does(n't| not) exist|no access|invalid|unknown|may not)|(unknown|invalid|unsupported|no such) model|issue with the selected model|ProviderModelNotFound/i,
  network:
    /ENOTFOUND|ECONNREFUSED|ECONNRESET|EAI_AGAIN|ETIMEDOUT|fetch failed|connection (error|refused|reset|closed|failed)|stream (disconnected|error|closed)|error sending request|(unable|failed|can.?t|cannot|could not) (to )?connect|network|dns|socket hang ?up|timed? ?out/i,
};

const STATUS: Readonly<Record<number, TroubleKind>> = {
  ...{ 401: 'credentials', 402: 'credits', 403: 'credentials', 413: 'context' },
  ...{ 429: 'limit', 503: 'overload', 529: 'overload' },
};

/** Nothing left to pay with; where the words also say when it goes on, it is a limit like any other. */
const UNPAID =
  /credit balance|insufficient.{0,20}(funds|balance|credits?|quota)|out of (extra )?credits|(credits?|balance|funds).{0,30}(depleted|exhausted|used up|too low)|\b402\b|payment required|plan and billing|billing (hard )?limit/i;

export function troubleOf(words: unknown, facts: TroubleFacts, clock: WordClock): AgentTrouble {
  const whole = typeof words === 'string' ? words : (JSON.stringify(words) ?? '');
  const message = oneLine(messageIn(whole) ?? whole, LONGEST);
  const found = facts.kind ?? kindOfStatus(facts.status, message) ?? kindOfWords(message);
  const until = found === 'limit' ? (readEpoch(facts.until, clock) ?? readLimitEnd(message, clock)) : null;
  const kind = found === 'limit' && until === null && UNPAID.test(message) ? 'credits' : found;
  return { kind, message, until };
}

function kindOfStatus(status: unknown, message: string): TroubleKind | undefined {
  // A model that is not there is a 404; so is a wrong address.
  if (status === 404 && /model/i.test(message)) return 'model';
  return typeof status === 'number' ? STATUS[status] : undefined;
}

function kindOfWords(message: string): TroubleKind {
  if (FORBIDDEN.test(message)) return UNPAID.test(message) ? 'credits' : 'credentials';
  const kinds = Object.keys(WORDS) as TroubleKind[];
  const found = kinds.find((kind) => WORDS[kind]!.test(message)) ?? 'other';
  return found !== 'limit' && UNPAID.test(message) ? 'credits' : found;
}

/** The message in an answer of the provider that is quoted whole. */
function messageIn(words: string): string | null {
  const quoted = /"message":\s*("(?:[^"\\]|\\.)*")/.exec(words)?.[1];
  // Cut short, or escaped another way.
  return valueOr(null, () => (quoted === undefined ? null : (JSON.parse(quoted) as string)));
}

const SECOND = 1000;
const UNITS: Readonly<Record<string, number>> = {
  d: 86_400 * SECOND,
  h: 3_600 * SECOND,
  m: 60 * SECOND,
  s: SECOND,
};
const FURTHEST_MS = 62 * 86_400 * SECOND; // Limits last a week or a month; a time further away was misread.
const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const WAIT = /\b(?:in|after)\s+((?:\d+(?:\.\d+)?\s*(?:ms|[a-z]+)[\s,]*(?:and\s+)?)+)/i;
const AMOUNT =
  /(\d+(?:\.\d+)?)\s*(ms\b|d(?:ays?)?|h(?:(?:ou)?rs?)?|m(?:in(?:ute)?s?)?|s(?:ec(?:ond)?s?)?)(?![a-z])/gi;
const ISO = /\b\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)/;
const EPOCH = /\b(1[5-9]\d{8}|[2-3]\d{9})(\d{3})?\b/;
// "resets 4:21am (UTC)", "resets Nov 27 at 4am (Europe/Berlin)", "try again at Nov 27th, 2026 4:21 AM", "at 16:21"
const CLOCK =
  /\b(?:resets?|again|until|at|available)\s+(?:at\s+|on\s+)?(?:([a-z]{3})[a-z]*\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(?:\d{4},?\s+)?(?:at\s+)?)?(\d{1,2})(?::(\d\d))?\s*([ap])?\.?m?\.?(?:\s*\(([A-Za-z][\w+-]*(?:\/[\w+-]+)*)\))?/gi;

/** When a limit ends: epoch ms, later than `now` and at most two months away; null where the words do not say. */
export function readLimitEnd(words: string, clock: WordClock): number | null {
  const iso = ISO.exec(words)?.[0];
  const [epoch, seconds, rest = 0] = EPOCH.exec(words) ?? [];
  const times = [
    iso === undefined ? null : Date.parse(iso),
    epoch === undefined ? null : Number(seconds) * SECOND + Number(rest),
    clockTime(words, clock),
    waitingTime(words, clock),
  ];
  return times.find((at) => at !== null && isBelievable(at, clock.now)) ?? null;
}

/** A moment that a limit may end at, from a number of seconds or milliseconds since 1970; null for anything else. */
export function readEpoch(value: unknown, { now }: WordClock): number | null {
  if (typeof value !== 'number' || !Number.isFinite(value)) return null;
  const at = Math.round(value < 1e11 ? value * SECOND : value);
  return isBelievable(at, now) ? at : null;
}

const isBelievable = (at: number, now: number) => at > now && at - now <= FURTHEST_MS;

function waitingTime(words: string, { now }: WordClock): number | null {
  const amounts = [...(WAIT.exec(words)?.[1] ?? '').matchAll(AMOUNT)];
  const unitMs = (unit: string) => (unit === 'ms' ? 1 : UNITS[unit[0]!]!);
  const ms = amounts.reduce((sum, [, amount, unit]) => sum + Number(amount) * unitMs(unit!.toLowerCase()), 0);
  return amounts.length === 0 ? null : now + Math.ceil(ms);
}

function clockTime(words: string, clock: WordClock): number | null {
  for (const [, month, day, hour, minute, half, zone] of words.matchAll(CLOCK)) {
    // A bare number is a time only with minutes or a half of the day.
    if (minute === undefined && half === undefined) continue;
    const of24 =
      half === undefined ? Number(hour) : (Number(hour) % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
    const monthNumber = month === undefined ? null : MONTHS.indexOf(month.toLowerCase()) + 1;
    if (of24 > 23 || Number(minute ?? 0) > 59 || monthNumber === 0) continue;
    const date = monthNumber === null ? '* *' : `${Number(day)} ${monthNumber}`;
    const at = zone !== undefined && isTimezone(zone) ? zone : clock.zone;
    try {
      const next = nextTick(`${Number(minute ?? 0)} ${of24} ${date} *`, at, clock.now);
      if (next !== null) return next;
    } catch {
      // A day that no month has.
    }
  }
  return null;
}
