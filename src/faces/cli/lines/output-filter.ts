// Output of foreign programs on a person's terminal: colours pass, everything else that steers a terminal does not.

// CSI, OSC/DCS/PM/APC/SOS strings up to their end, other two-byte escapes, and lone control characters.
const ESCAPES =
  /\u001b\[[0-?]*[ -/]*[@-~]|\u001b[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)?|\u001b[ -/]*[0-~]?|[\u0000-\u0008\u000b\u000c\u000e-\u001a\u001c-\u001f\u007f-\u009f]/g;
const COLOR = /^\u001b\[[0-9;:]*m$/;
const UNFINISHED = /\u001b(?:\[[0-?]*[ -/]*|[\]PX^_][^\u0007\u001b]*\u001b?|[ -/]*)?$/;
const MAX_HELD = 4096;

/** A filter over pieces of one output; a sequence cut in two by a piece's end is put together first. */
export function createOutputFilter(): (piece: string) => string {
  let held = '';
  return (piece) => {
    const text = held + piece;
    const cut = UNFINISHED.exec(text);
    held = cut !== null && text.length - cut.index <= MAX_HELD ? text.slice(cut.index) : '';
    return text
      .slice(0, text.length - held.length)
      .replace(ESCAPES, (found) => (COLOR.test(found) ? found : ''));
  };
}
