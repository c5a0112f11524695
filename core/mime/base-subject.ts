/** Longer subjects are compared by what they begin with: the removals below may look at a subject once for each thing they remove. */
const longest = 512;

/** The words of RFC 5256 (re, fw, fwd), and those that mail programs in other languages put in their place. */
const refwd = /^(?:re|fwd?|aw|wg|sv|vs|antw|tr|rif|odp)[ \t]*(?:\[[^[\]]*\][ \t]*)?:/;
const blob = /^\[[^[\]]*\][ \t]*/;

/** Removes `(fwd)` and blanks at the end (RFC 5256 §2.1 step 2). */
const withoutTrailers = (subject: string): string => {
  let rest = subject.trimEnd();
  while (rest.endsWith('(fwd)')) rest = rest.slice(0, -'(fwd)'.length).trimEnd();
  return rest;
};

/** Removes one subj-leader: blanks, or any number of `[blobs]` with a `re:` behind them (step 3). The subject itself when there is none. */
const withoutLeader = (subject: string): string => {
  let rest = subject.trimStart();
  const start = rest;
  for (let found = blob.exec(rest); found; found = blob.exec(rest)) rest = rest.slice(found[0].length);
  const word = refwd.exec(rest);
  return word ? rest.slice(word[0].length) : start;
};

/** Removes one `[blob]` unless nothing would be left (step 4). */
const withoutBlob = (subject: string): string => subject.slice(blob.exec(subject)?.[0].length ?? 0) || subject;

/** Steps 3 to 5: leaders and blobs until there is none. */
const withoutPrefixes = (subject: string): string => {
  for (let rest = subject; ;) {
    const next = withoutBlob(withoutLeader(rest));
    if (next === rest) return rest;
    rest = next;
  }
};

/**
 * What messages of one thread have in common in their subjects (RFC 5256 §2.1, asked for by RFC 8621 §3): without `Re:`, `Fwd:`, `[list]` and
 * the like, blanks as one space, in lower case and Unicode's composed form.
 */
export const baseSubject = (subject: string): string => {
  let rest = subject.slice(0, longest).normalize('NFC').toLowerCase().replaceAll(/\s+/g, ' ');
  for (;;) {
    rest = withoutPrefixes(withoutTrailers(rest));
    if (!rest.startsWith('[fwd:') || !rest.endsWith(']')) return rest.trim();
    rest = rest.slice('[fwd:'.length, -1);
  }
};
