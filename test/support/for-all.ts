import fc from 'fast-check';

type Arbitraries<Values extends unknown[]> = { [Each in keyof Values]: fc.Arbitrary<Values[Each]> };

/** Runs of a property: the usual number, or FC_RUNS for a longer search. */
export const runs = (usual: number): number => Number(process.env.FC_RUNS ?? usual);

/** Checks what holds for all values, so many times as `runs` says of the usual number. */
export function forAll<Values extends [unknown, ...unknown[]]>(
  usual: number,
  ...property: [...arbitraries: Arbitraries<Values>, holds: (...values: Values) => void]
): void {
  fc.assert(fc.property<Values>(...property), { numRuns: runs(usual) });
}

/** The same for what takes time. */
export function forAllAsync<Values extends [unknown, ...unknown[]]>(
  usual: number,
  ...property: [...arbitraries: Arbitraries<Values>, holds: (...values: Values) => Promise<void>]
): Promise<void> {
  return fc.assert(fc.asyncProperty<Values>(...property), { numRuns: runs(usual) });
}
