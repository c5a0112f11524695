import { keysOf } from '../../contract/values/typed-entries.ts';
import type { FolderRole, SourceFolder } from './mail-source.ts';

/**
 * Names that mail programs and services give to folders with a role, in English, German, French, Spanish, Italian, Dutch,
 * Portuguese and Polish: Outlook, Thunderbird, Apple Mail, Gmail, Roundcube and Dovecot.
 */
const namesOfRoles: { readonly [role in FolderRole]: string } = {
  inbox: `inbox
    posteingang | boîte de réception | bandeja de entrada | buzón de entrada | recibidos | posta in arrivo | in arrivo | postvak in
    caixa de entrada | recebidos | skrzynka odbiorcza | odebrane`,
  archive: `archive | archives | archived | all mail
    archiv | archivierte nachrichten | alle nachrichten | archivé | tous les messages | archivo | archivos | archivados | archivio
    archivi | archiviati | tutti i messaggi | archief | archieven | alle berichten | alle e-mail | arquivo | arquivos | arquivo morto | arquivadas
    todos os e-mails | todo o correio | archiwum | archiwa | zarchiwizowane`,
  drafts: `drafts | draft
    entwürfe | brouillons | brouillon | borradores | borrador | bozze | bozza | concepten
    rascunhos | rascunho | kopie robocze | wersje robocze | szkice`,
  sent: `sent | sent items | sent mail | sent messages
    gesendet | gesendete | gesendete elemente | gesendete objekte | gesendete nachrichten | gesendete mails | gesendete e-mails
    envoyés | envoyé | éléments envoyés | messages envoyés | courrier envoyé | courriers envoyés | mails envoyés
    enviados | enviado | elementos enviados | mensajes enviados | correo enviado
    inviati | inviata | inviate | posta inviata | elementi inviati | messaggi inviati
    verzonden | verzonden items | verzonden berichten | verzonden e-mail | verstuurd
    enviadas | itens enviados | e-mails enviados | mensagens enviadas | correio enviado
    wysłane | elementy wysłane | wiadomości wysłane | wysłane wiadomości | wysłane elementy`,
  junk: `junk | junk e-mail | junk email | junk mail | spam | bulk mail
    junk-e-mail | junk-mail | spam-verdacht | spamverdacht | unerwünscht | unerwünschte werbung
    courrier indésirable | indésirables | indésirable | pourriel | pourriels
    correo no deseado | correo basura | no deseado | posta indesiderata | indesiderata | indesiderati
    ongewenst | ongewenste e-mail | ongewenste mail | ongewenste reclame | ongewenste berichten
    lixo eletrônico | lixo electrónico | correio eletrônico não solicitado | correio não solicitado | e-mail de lixo | não solicitado
    wiadomości-śmieci | wiadomości śmieci | niechciane | niechciana poczta | śmieci`,
  trash: `trash | deleted items | deleted messages | bin | wastebasket
    papierkorb | gelöscht | gelöschte elemente | gelöschte objekte | gelöschte nachrichten
    corbeille | éléments supprimés | messages supprimés | supprimés | papelera | papelera de reciclaje | elementos eliminados
    mensajes eliminados | eliminados | cestino | posta eliminata | elementi eliminati | messaggi eliminati | eliminati
    prullenbak | prullenmand | verwijderd | verwijderde items | verwijderde berichten
    lixeira | lixo | itens excluídos | itens eliminados | mensagens excluídas | mensagens eliminadas | excluídos | excluídas
    kosz | elementy usunięte | usunięte | usunięte elementy | wiadomości usunięte | usunięte wiadomości`,
};

/** A name as it is looked up: programs write accents in several forms, and some leave them out. */
const plainName = (name: string): string => name.trim().toLowerCase().replaceAll('ł', 'l').normalize('NFD').replaceAll(/\p{M}/gu, '');

const roles = new Map(keysOf(namesOfRoles).flatMap((role) => namesOfRoles[role].split(/[|\n]/).map((name) => [plainName(name), role] as const)));

/** Folders in which a server groups its other folders. They contain no mail. */
const namespaces = ['[gmail]', '[google mail]'];

/**
 * The folder with this path. A name at the root, below the inbox or below Gmail's namespace may give the folder a role.
 * For other folders in a namespace, the namespace is removed.
 */
export const folderNamed = (path: readonly string[]): SourceFolder => {
  const names = path.filter((name) => name.trim() !== '');
  const [first = '', second] = names;
  const inner = second !== undefined && namespaces.includes(first.toLowerCase()) ? names.slice(1) : names;
  if (inner.length === 0) return { path: ['Inbox'], role: 'inbox' };
  const isTop = inner.length === 1 || (inner.length === 2 && roles.get(plainName(first)) === 'inbox');
  const role = isTop ? roles.get(plainName(inner.at(-1)!)) : undefined;
  return { path: inner, ...(role && { role }) };
};

const encodeBase64 = (text: string): string =>
  `&${Buffer.from(text, 'utf16le')
    .swap16()
    .toString('base64')
    .replaceAll('/', ',')
    .replace(/(?<!=)=+$/, '')}-`;

export const encodeModifiedUtf7 = (name: string): string => name.replaceAll(/[^\x20-\x7e]+|&/g, (part) => (part === '&' ? '&-' : encodeBase64(part)));

/** The text of octets in base64; empty when they are no UTF-16. */
const decodeBase64 = (text: string): string => {
  const octets = Buffer.from(text.replaceAll(',', '/'), 'base64');
  return octets.length % 2 === 0 ? octets.swap16().toString('utf16le') : '';
};

/**
 * Decodes a folder name in IMAP's modified UTF-7 (RFC 3501 §5.1.3). A name that no program encodes so, such as `P&L-2026`,
 * is returned unchanged.
 */
export const decodeModifiedUtf7 = (name: string): string => {
  const decoded = name.replaceAll(/&([A-Za-z0-9+,]*)-/g, (_, text: string) => (text === '' ? '&' : decodeBase64(text)));
  return decoded.isWellFormed() && encodeModifiedUtf7(decoded) === name ? decoded : name;
};

/** Decodes octets of a file name: UTF-8, or Latin-1 when they are not valid UTF-8. */
export const decodeFileName = (octets: Buffer): string => {
  const text = octets.toString('utf8');
  return Buffer.from(text, 'utf8').equals(octets) ? text : octets.toString('latin1');
};

/**
 * A normal form of a path, equal for all paths that some file system treats as the same file. File systems may ignore
 * letter case, normalize Unicode, or drop zero-width characters.
 */
export const foldedPath = (path: string): string =>
  path
    .normalize('NFKD')
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toLowerCase()
    .toUpperCase()
    .normalize('NFKD');
