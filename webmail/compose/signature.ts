import { escapeHtml } from '../../contract/values/escape-html.ts';
import type { Identity } from '../jmap/types.ts';
import type { Draft } from './draft.ts';
import { plainQuoteStart } from './quote.ts';

type Signatures = Pick<Identity, 'htmlSignature' | 'textSignature'>;

const separator = '-- \n';

/** The separator of a text that was HTML. */
const separatorOfHtml = '--\n\n';

/** The signature as HTML, below its separator. Empty without a signature. */
export const htmlSignatureOf = ({ htmlSignature, textSignature }: Signatures): string => {
  const html = htmlSignature || escapeHtml(textSignature).replaceAll('\n', '<br>');
  return html === '' ? '' : `<p>-- </p><div>${html}</div>`;
};

/** The body of a new message: an empty line to write on and the signature. In plain text, `below` is the quoted original. */
export const newBody = (identity: Signatures, isPlain: boolean, below = ''): Pick<Draft, 'html' | 'text'> => {
  const { textSignature } = identity;
  const signature = textSignature === '' ? '' : `\n\n${separator}${textSignature}`;
  if (isPlain) return { html: null, text: below === '' ? signature : `\n${signature}\n\n${below}` };
  return { html: `<p></p>${htmlSignatureOf(identity)}`, text: signature };
};

/** The signature as a field for text has it. */
const textOf = ({ textSignature }: Signatures): string => textSignature.replaceAll('\r\n', '\n').trimEnd();

/** The place of a signature that stands unchanged in a text, from the start of its separator, with nothing right below it. */
const placeOf = (text: string, signature: string): { readonly start: number; readonly end: number } | undefined => {
  for (const block of [separator + signature, separatorOfHtml + signature]) {
    const start = `\n${text}`.lastIndexOf(`\n${block}`);
    const end = start + block.length;
    if (start >= 0 && /^(?:\s*$|[ \t]*\n[ \t]*\n)/.test(text.slice(end))) return { start, end };
  }
  return undefined;
};

/** Puts the signature of another sender in the place of an unchanged one, in a text with or without a quote below. */
export const withSignature = (text: string, before: Signatures, after: Signatures): string => {
  const [old, next] = [textOf(before), textOf(after)];
  const quoteStart = plainQuoteStart(text);
  const [own, quote] = [text.slice(0, quoteStart), text.slice(quoteStart)];
  // A signature that the person wrote or changed remains the only one.
  if (old === '') return next === '' || /^-- ?$/m.test(own) ? text : `${own}\n\n${separator}${next}${quote}`;
  const place = placeOf(own, old);
  if (!place) return text;
  const above = own.slice(0, place.start);
  return (next === '' ? above.replace(/\n{1,2}$/, '') : above + separator + next) + own.slice(place.end) + quote;
};
