import type { StateFile } from '../../../state/state-file.ts';

export type SuppressionReason = 'BOUNCE' | 'COMPLAINT';
export type Suppressed = { readonly address: string; readonly reason: SuppressionReason; readonly at: string };

/** The account's suppression list. Addresses are case-insensitive. */
export type SuppressionList = {
  put(address: string, reason: SuppressionReason): Promise<void>;
  find(address: string): Suppressed | undefined;
  remove(address: string): Promise<void>;
  /** Newest first. */
  list(): readonly Suppressed[];
};

export const openSuppressionList = (file: StateFile<Record<string, Suppressed>>): SuppressionList => ({
  async put(address, reason) {
    file.value[address.toLowerCase()] = { address, reason, at: new Date().toISOString() };
    await file.save();
  },
  find: (address) => (Object.hasOwn(file.value, address.toLowerCase()) ? file.value[address.toLowerCase()] : undefined),
  async remove(address) {
    delete file.value[address.toLowerCase()];
    await file.save();
  },
  list: () => Object.values(file.value).sort((one, other) => other.at.localeCompare(one.at)),
});
