// Short words about what the person did, shown for a while and read aloud: what went wrong stays until it is dismissed.
import { signal } from '@preact/signals';
import type { ApiError } from '../api/request.ts';

export interface Notice {
  key: number;
  text: string;
  hint: string | null;
  failed: boolean;
  undo: (() => void) | null;
}

const SHOWN_MS = 6_000;
const MOST = 4;

export const notices = signal<readonly Notice[]>([]);
let count = 0;

export function tell(text: string, undo?: () => void): void {
  add({ text, hint: null, failed: false, undo: undo ?? null });
}

export function tellError({ message, problem }: ApiError): void {
  add({ text: message, hint: problem.hint ?? null, failed: true, undo: null });
}

export function dismiss(key: number): void {
  notices.value = notices.value.filter((each) => each.key !== key);
}

function add(notice: Omit<Notice, 'key'>): void {
  count += 1;
  const key = count;
  notices.value = [...notices.value, { ...notice, key }].slice(-MOST);
  if (!notice.failed) setTimeout(() => dismiss(key), SHOWN_MS);
}
