import type { Draft } from './draft.ts';

/** Words that name an attachment, in some languages. */
const attachmentWords =
  /\b(?:attach(?:ed|ment|ments|ing)?|enclosed|enclosure|im anhang|anbei|angehängt|beigefügt|anhang|ci-joint|pièces? jointes?|adjunt[oa]s?|allegat[oi]|bijlagen?|vedlagt|bifogad|załącz\w{1,12})\b/iu;

/** Characters of the text that are looked at. */
const maxCharacters = 20_000;

/** The lines that the person wrote, without what they quote. */
const ownText = (text: string): string =>
  text
    .slice(0, maxCharacters)
    .split('\n')
    .filter((line) => !line.startsWith('>'))
    .join('\n');

/** Whether a message speaks of an attachment and has none. */
export const forgetsAttachment = ({ subject, text, parts }: Draft): boolean =>
  !parts.some(({ cid }) => cid === null) && attachmentWords.test(`${subject}\n${ownText(text)}`);
