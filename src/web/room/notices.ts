// Short words about what the person did: they go after a while, what went wrong stays until it is dismissed.
import { signal } from '@preact/signals';
import type { ApiError } from '../api/request.ts';

interface Notice {
  key: number;
  text: string;
  hint?: string | undefined;
  failed: boolean;
  undo?: (() => void) | undefined;
}

const SHOWN_MS = 6_000;
const MOST = 4;
export const notices = signal<readonly Notice[]>([]);
let count = 0;

export function tell(text: string, undo?: () => void): void {
  const key = add({ text, failed: false, undo });
  setTimeout(() => dismiss(key), SHOWN_MS);
}

export function tellError({ message, problem }: ApiError): void {
  add({ text: message, hint: problem.hint, failed: true });
}

function add(notice: Omit<Notice, 'key'>): number {
  count += 1;
  notices.value = [...notices.value, { ...notice, key: count }].slice(-MOST);
  return count;
}

export function dismiss(key: number): void {
  notices.value = notices.value.filter((each) => each.key !== key);
}
