// Output as it comes in pieces, cut into lines. A line that is longer than any event worth reading is passed over.

const LONGEST = 8 * 1024 * 1024;

export function createLineSplitter() {
  let begun = '';
  let isTooLong = false;
  return {
    /** The lines that this piece completes. */
    push(text: string) {
      const lines = text.split('\n');
      const last = lines.pop()!;
      if (lines.length === 0) {
        begun = isTooLong ? '' : begun + last;
      } else {
        lines[0] = begun + lines[0]!;
        if (isTooLong) lines.shift();
        isTooLong = false;
        begun = last;
      }
      if (begun.length > LONGEST) {
        begun = '';
        isTooLong = true;
      }
      return lines.filter((line) => line.length <= LONGEST).map((line) => line.replace(/\r$/, ''));
    },
    /** What stands after the last line end. */
    rest() {
      const line = begun;
      begun = '';
      return line === '' ? [] : [line];
    },
  };
}
