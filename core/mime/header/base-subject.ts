/** Maximum characters of a subject that are compared, because each removal copies the remaining subject. */
const maxLength = 512;

/** `re`, `fw` and `fwd` (RFC 5256 §5), and their translations that mail programs write. */
const replyPrefix = /^(?:re|fwd?|aw|wg|sv|vs|antw|tr|rif|odp)[ \t]*(?:\[[^[\]]*\][ \t]*)?:/;
const bracketedBlob = /^\[[^[\]]*\][ \t]*/;

/** Removes trailing `(fwd)` and blanks (RFC 5256 §2.1 step 2). */
const withoutTrailers = (subject: string): string => {
  let rest = subject.trimEnd();
  while (rest.endsWith('(fwd)')) rest = rest.slice(0, -'(fwd)'.length).trimEnd();
  return rest;
};

/** Removes one leader: blanks, or any number of `[blob]` followed by `re:` (step 3). `[blob]` without `re:` is kept. */
const withoutLeader = (subject: string): string => {
  let rest = subject.trimStart();
  const start = rest;
  for (let blob = bracketedBlob.exec(rest); blob; blob = bracketedBlob.exec(rest)) rest = rest.slice(blob[0].length);
  const prefix = replyPrefix.exec(rest);
  return prefix ? rest.slice(prefix[0].length) : start;
};

/** Removes one `[blob]`, unless nothing would remain (step 4). */
const withoutBlob = (subject: string): string => subject.slice(bracketedBlob.exec(subject)?.[0].length ?? 0) || subject;

/** Repeats steps 3 and 4 until nothing changes (step 5). */
const withoutPrefixes = (subject: string): string => {
  for (let rest = subject; ;) {
    const next = withoutBlob(withoutLeader(rest));
    if (next === rest) return rest;
    rest = next;
  }
};

/**
 * The base subject (RFC 5256 §2.1), which messages of one thread share (RFC 8621 §3): without `Re:`, `Fwd:`, `[list]`
 * and the like, with single spaces, in lower case and Unicode normalization form C.
 */
export const baseSubject = (subject: string): string => {
  let rest = subject.slice(0, maxLength).normalize('NFC').toLowerCase().replaceAll(/\s+/g, ' ');
  for (;;) {
    rest = withoutPrefixes(withoutTrailers(rest));
    if (!rest.startsWith('[fwd:') || !rest.endsWith(']')) return rest.trim();
    rest = rest.slice('[fwd:'.length, -1);
  }
};
