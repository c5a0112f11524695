import type { VerificationStatus } from '../../../contract/admin/domains.ts';

/** SES's word for how far a verification is in ours: what is not over is pending. */
export const statusOf = (status: string | undefined): VerificationStatus => (status === 'SUCCESS' || status === 'FAILED' ? status : 'PENDING');

/** Another value instead of an error of this kind; every other error is thrown as it is. */
export const insteadOf = async <T, U>(kind: abstract new (...args: never[]) => Error, value: U, answer: Promise<T>): Promise<T | U> => {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof kind) return value;
    throw error;
  }
};
