// Light or dark: as the system says, unless the person chose here.
import { signal } from '@preact/signals';
import { valueOr } from '../../core/errors.ts';

export type Theme = 'auto' | 'light' | 'dark';

const KEY = 'taskroom.theme';
const NEXT: Readonly<Record<Theme, Theme>> = { auto: 'light', light: 'dark', dark: 'auto' };
export const theme = signal<Theme>(readTheme());

function readTheme(): Theme {
  // A browser may keep nothing for pages.
  const said = valueOr(null, () => localStorage.getItem(KEY));
  return said === 'light' || said === 'dark' ? said : 'auto';
}

export function applyTheme(): void {
  document.documentElement.style.colorScheme = theme.value === 'auto' ? '' : theme.value;
}

export function nextTheme(): void {
  theme.value = NEXT[theme.value];
  applyTheme();
  try {
    localStorage.setItem(KEY, theme.value);
  } catch {
    // Then it counts until the page is closed.
  }
}
