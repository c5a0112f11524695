import { deviceStorage } from '../../sign-in/device-storage.ts';
import { columns } from './emoji-search.ts';

const key = 'webmail.recent-emoji';

/** The emoji that were used recently on this device, the last one first. */
export const recentEmoji = (): readonly string[] => {
  try {
    const kept: unknown = JSON.parse(deviceStorage().getItem(key) ?? '[]');
    return Array.isArray(kept) ? kept.filter((each) => typeof each === 'string') : [];
  } catch {
    return [];
  }
};

export const keepRecentEmoji = (emoji: string): void => {
  const kept = [emoji, ...recentEmoji().filter((each) => each !== emoji)].slice(0, columns);
  try {
    deviceStorage().setItem(key, JSON.stringify(kept));
  } catch {
    // Without room they are forgotten.
  }
};
