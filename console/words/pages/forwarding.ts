import { phrase } from '../phrase.ts';

export const forwardingWords = {
  title: 'Forwarding',
  who: 'Who forwards mail',
  addresses: 'Forwards to',
  changed: 'Changed',
  none: 'Nobody',
  empty: { title: 'Nobody forwards mail', text: 'It is set on the page of an account.' },
  states: { here: 'An account here', confirmed: 'Confirmed', waiting: 'Waits until its owner opens the link', paused: 'Paused' },
  keepsCopy: 'Yes',
  keepsNoCopy: 'No: what is forwarded can be restored like deleted mail',
  begin: 'Forward mail',
  change: 'Change the forwarding',
  text: 'Whoever has an address outside is mailed a link first. Junk, and mail with codes and passwords, is not forwarded and stays in the account.',
  saved: (name: string) => phrase`The forwarding of ${name} was changed`,
  end: 'End it',
  endTitle: 'End the forwarding',
  endText: 'All mail stays in the account from now on. An address outside has to be confirmed again when it is set again.',
  ended: (name: string) => phrase`${name} forwards no mail any more`,
  waits: (address: string) => phrase`${address} (waits until its owner opens the link)`,
  withCopy: 'The account keeps a copy.',
  withoutCopy: 'The account keeps no copy.',
} as const;
