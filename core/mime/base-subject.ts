/** Maximum characters of a subject that are compared, because each removal copies the remaining subject. */
const maxLength = 512;

/** `re`, `fw` and `fwd` (RFC 5256 §5), and translations of "reply" and "forward" that mail programs write, in lower case. */
const prefixes = [
  're',
  'fw',
  'fwd',
  'aw',
  'wg',
  'sv',
  'vs',
  'antw',
  'tr',
  'rif',
  'odp',
  'antwort',
  'rv',
  'res',
  'enc',
  'r',
  'i',
  'ynt',
  'i\u0307?lt',
  'vl',
  'vb',
  'fs',
  'doorst',
  'pd',
  'odg',
  'proslj',
  'vá',
  'továbbítás',
  'atb',
  'ats',
  'pers',
  'bls',
  'trs',
  'rsp',
  'yml',
  'απ',
  'σχετ',
  'πρθ',
  'отв',
  'ответ',
  'на',
  'пересл',
  'відп',
  'отг',
  'отговор',
  'препр',
  'השב',
  'תגובה',
  'הועבר',
  'رد',
  'إعادة توجيه',
  '回复',
  '回覆',
  '答复',
  '答覆',
  '转发',
  '轉寄',
  '轉發',
  '返信',
  '転送',
  '답장',
  '회신',
  '전달',
  'ตอบกลับ',
  'trả lời',
].map((word) => word.normalize('NFC'));

/** A prefix with a number or a note, and with a colon of ASCII or of full width. */
const replyPrefix = new RegExp(String.raw`^(?:${prefixes.join('|')}) ?(?:\[[^[\]]*\]|\(\d{1,4}\)|\^?\d{1,4})? ?[:：]`, 'u');
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
