import type { EmailAddress } from '../jmap/types.ts';

/** Characters that end a line or turn the direction of text, so that a text would be shown or written as another one. */
const controls = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/** A text of a stranger or of the clipboard as a header field can have it. */
export const oneLine = (text: string): string => text.toWellFormed().replaceAll(controls, ' ').normalize('NFC');

/** The server refuses a message with an address that has them. */
const unwritable = /[\p{Cc}<>]/gu;

/** The addresses in a form that the server writes, without those of which nothing remains. */
export const writable = (addresses: readonly EmailAddress[] | null): readonly EmailAddress[] =>
  (addresses ?? []).flatMap(({ name, email }) => {
    const address = email.toWellFormed().replaceAll(unwritable, '').trim();
    return address === '' ? [] : [{ name: oneLine(name ?? '').trim() || null, email: address }];
  });

/** A Message-ID or Content-ID that the server writes. Longer ones do not fit on a line. */
export const isWritableId = (id: string): boolean => /^[^\s<>\p{Cc}\p{Cs}]{1,290}$/u.test(id);
