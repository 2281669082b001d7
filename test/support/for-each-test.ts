// What the tests of a file need, opened before and closed after each of them, or once for all of them.
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';

/** Opened before each test, closed after it. What is returned stands for that of the test that runs. */
export function forEachTest<T extends object>(open: () => T | Promise<T>): T {
  const present = createStandIn<T>();
  beforeEach(async () => present.set(await open()));
  afterEach(() => present.close());
  return present.standIn;
}

/** Opened before the first test, closed after the last. */
export function forAllTests<T extends object>(open: () => T | Promise<T>, timeoutMs?: number): T {
  const present = createStandIn<T>();
  beforeAll(async () => present.set(await open()), timeoutMs);
  afterAll(() => present.close());
  return present.standIn;
}

/** A part of one that is opened so, which stands for that of the present one. */
export function partOf<T extends object, Name extends keyof T>(whole: T, name: Name): T[Name] {
  return standFor(() => whole[name] as object) as T[Name];
}

function createStandIn<T extends object>() {
  let real: T | null = null;
  return {
    standIn: standFor(() => {
      if (real === null) throw new Error('it is not open: only hooks and tests have it');
      return real;
    }),
    set: (opened: T) => {
      real = opened;
    },
    // What could not be opened needs no end, nor what closes itself.
    close: async () => {
      await (real as { close?(): unknown } | null)?.close?.();
      real = null;
    },
  };
}

/** One that is not there yet when a test takes hold of it: each use of a member goes to the real one of that moment. */
function standFor<T extends object>(real: () => T): T {
  return new Proxy({} as T, {
    get(_, name) {
      const value: unknown = Reflect.get(real(), name);
      return typeof value === 'function' ? value.bind(real()) : value;
    },
    set: (_, name, value) => Reflect.set(real(), name, value),
    has: (_, name) => Reflect.has(real(), name),
    ownKeys: () => Reflect.ownKeys(real()),
    getOwnPropertyDescriptor: (_, name) => ({
      ...Reflect.getOwnPropertyDescriptor(real(), name),
      configurable: true,
    }),
  });
}
