import { deviceStorage } from '../sign-in/device-storage.ts';

/** Choices that are kept on this device until the sign-out. */
const names = { shortcutsOff: 'webmail.shortcuts-off', imageSenders: 'webmail.image-senders' } as const;

/** Maximum senders whose images are shown; the oldest is forgotten first. */
const maxImageSenders = 500;

const read = (name: string): string | null => {
  try {
    return deviceStorage().getItem(name);
  } catch {
    return null;
  }
};
const write = (name: string, value: string): void => {
  try {
    deviceStorage().setItem(name, value);
  } catch {
    // Without storage the choice lasts as long as the page.
  }
};

export const areShortcutsOn = (): boolean => read(names.shortcutsOff) === null;
export const setShortcutsOn = (isOn: boolean): void => {
  if (isOn) deviceStorage().removeItem(names.shortcutsOff);
  else write(names.shortcutsOff, 'yes');
};

const imageSenders = (): readonly string[] => (read(names.imageSenders) ?? '').split('\n').filter(Boolean);

/** Bodies of messages whose images the person wants this once. */
const bodiesWithImages = new WeakSet<object>();
export const showImages = (body: object): void => void bodiesWithImages.add(body);
export const showsImages = (body: object, address: string): boolean => bodiesWithImages.has(body) || imageSenders().includes(address.toLowerCase());
export const alwaysShowImagesOf = (address: string): void =>
  write(names.imageSenders, [...new Set([...imageSenders(), address.toLowerCase()])].slice(-maxImageSenders).join('\n'));
