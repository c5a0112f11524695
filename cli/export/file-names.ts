import { encodeModifiedUtf7 } from '../sources/folder-names.ts';

/**
 * Maximum octets of a file name, before a number and the suffixes. With them it must not exceed the 255 octets of file
 * systems.
 */
const maxNameOctets = 120;

/** Maximum octets of the path of a mailbox within the folder of the export. Windows and macOS limit whole paths. */
const maxPlaceOctets = 600;

/** Maximum octets of the name of a maildir, which has the names of all mailboxes above it. */
const maxMaildirOctets = 200;

/** The longest prefix of a text whose encoded form has at most this many octets. */
const beginningOf = (text: string, maxOctets: number, encode = (part: string): string => part): string => {
  if (Buffer.byteLength(encode(text)) <= maxOctets) return text;
  const characters = Array.from(text);
  let [fits, tooLong] = [0, characters.length];
  while (tooLong - fits > 1) {
    const middle = (fits + tooLong) >> 1;
    if (Buffer.byteLength(encode(characters.slice(0, middle).join(''))) <= maxOctets) fits = middle;
    else tooLong = middle;
  }
  return characters.slice(0, fits).join('');
};

const deviceName = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[\d\u00b9\u00b2\u00b3]) *(?:\.|$)/i;

/** A name that every file system accepts, without an extension. */
const plainName = (name: string): string => {
  const safe = name
    .toWellFormed()
    .normalize('NFC')
    .replaceAll(/[\p{Cc}\u2028\u2029/\\:*?"<>|]/gu, '_')
    .replace(/^\.+/, '_');
  const short = beginningOf(safe, maxNameOctets).replace(/(?<![. ])[. ]+$/, '_');
  return deviceName.test(short) ? `_${short}` : short || '_';
};

/**
 * The name of the folder for child mailboxes. No file of an export has this name, and no mail program takes the folder
 * for a part of a maildir.
 */
const folderName = (name: string): string => {
  const plain = plainName(name);
  return /^(?:cur|new|tmp)$|\.(?:mbox|mbx|sbd|json|jsonl|new)$/i.test(plain) ? `${plain}_` : plain;
};

/**
 * Possible paths for the mbox of a mailbox with these names, from the root; the preferred one first. The second path
 * has no folders, so it can't conflict with another mailbox.
 */
export const mboxPlaces = (names: readonly string[]): string[] => {
  const flat = plainName(names.join('_'));
  const nested = [...names.slice(0, -1).map(folderName), plainName(names.at(-1)!)].join('/');
  return Buffer.byteLength(nested) <= maxPlaceOctets ? [nested, flat] : [flat];
};

/** The path for the maildir of a mailbox with these names: one folder in Maildir++. */
export const maildirPlace = (names: readonly string[]): string => {
  // Dovecot does not support its separators in a name. The manifest has the original name.
  const text = names
    .map((name) =>
      name
        .toWellFormed()
        .replaceAll(/[./\\]/g, '_')
        .replace(/(?<! ) +$/, '_'),
    )
    .join('.');
  return `.${encodeModifiedUtf7(beginningOf(text, maxMaildirOctets, encodeModifiedUtf7)).replace(/(?<![. ])[. ]+$/, '')}`;
};
