/** Choices that are kept on this device until the sign-out. */
const names = { shortcutsOff: 'webmail.shortcuts-off', imageSenders: 'webmail.image-senders', inbox: 'webmail.inbox' } as const;

/** Maximum senders whose images are shown; the oldest is forgotten first. */
const maxImageSenders = 500;

const read = (name: string): string | null => {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
};
const write = (name: string, value: string): void => {
  try {
    localStorage.setItem(name, value);
  } catch {
    // Without storage the choice lasts as long as the page.
  }
};

export const areShortcutsOn = (): boolean => read(names.shortcutsOff) === null;
export const setShortcutsOn = (isOn: boolean): void => {
  if (isOn) localStorage.removeItem(names.shortcutsOff);
  else write(names.shortcutsOff, 'yes');
};

/** The inbox of an account at the last visit, so that its list is asked for together with the mailboxes. */
export const lastInbox = (accountId: string): string | undefined => {
  const [account, mailboxId] = (read(names.inbox) ?? '').split(' ');
  return account === accountId ? mailboxId : undefined;
};
export const rememberInbox = (accountId: string, mailboxId: string): void => write(names.inbox, `${accountId} ${mailboxId}`);

const imageSenders = (): readonly string[] => (read(names.imageSenders) ?? '').split('\n').filter(Boolean);
export const showsImagesOf = (address: string): boolean => imageSenders().includes(address.toLowerCase());
export const alwaysShowImagesOf = (address: string): void =>
  write(names.imageSenders, [...new Set([...imageSenders(), address.toLowerCase()])].slice(-maxImageSenders).join('\n'));
