import { oneLine } from './header-text.ts';

/** "Reply" as mail programs of many languages write it. */
const replyWords =
  're|aw|sv|antw|antwort|vs|rif|odp|odg|res|r|ynt|vá|atb|ats|bls|rsp|απ|σχετ|отв|ответ|на|відп|отг|отговор|' +
  'השב|תגובה|رد|回复|回覆|答复|答覆|返信|답장|회신|ตอบกลับ|trả lời';
/** "Forward", likewise. */
const forwardWords =
  'fw|fwd|wg|tr|rv|enc|i|[iİ]\u0307?lt|vl|vb|fs|doorst|pd|proslj|továbbítás|pers|trs|yml|πρθ|пересл|препр|הועבר|إعادة توجيه|转发|轉寄|轉發|転送|전달';

/** A prefix with a number or a note, and with a colon of ASCII or of full width. */
const prefix = (known: string): RegExp => new RegExp(String.raw`(?:${known.normalize('NFC')}) ?(?:\[[^[\]]{0,64}\]|\(\d{1,4}\)|\^?\d{1,4})? ?[:：]`, 'iuy');
const replyPrefix = prefix(replyWords);
const forwardPrefix = prefix(forwardWords);
/** The name of a mailing list. */
const tag = /\[[^[\]]{1,64}\]/y;

/** The text without the prefixes at its beginning, and without those behind the names of lists there. */
const withoutPrefixes = (text: string, pattern: RegExp): string => {
  const tags: string[] = [];
  let from = 0;
  const end = (expression: RegExp, at: number): number => {
    expression.lastIndex = at;
    return expression.test(text) ? expression.lastIndex : at;
  };
  const skipBlanks = (at: number): number => {
    let next = at;
    while (text[next] === ' ') next += 1;
    return next;
  };
  for (;;) {
    const start = skipBlanks(from);
    const afterPrefix = end(pattern, start);
    const afterTag = end(tag, start);
    if (afterPrefix > start) from = afterPrefix;
    else if (afterTag > start && end(pattern, skipBlanks(afterTag)) > skipBlanks(afterTag)) {
      tags.push(text.slice(start, afterTag));
      from = afterTag;
    } else return [...tags, text.slice(start)].join(' ').trim();
  }
};

const prefixed = (word: string, subject: string | null, pattern: RegExp): string => `${word}: ${withoutPrefixes(oneLine(subject ?? ''), pattern)}`.trimEnd();

/** The subject of a reply: with one prefix, whatever the original has. */
export const replySubject = (subject: string | null): string => prefixed('Re', subject, replyPrefix);

export const forwardSubject = (subject: string | null): string => prefixed('Fwd', subject, forwardPrefix);
