import * as z from 'zod';
import type { RoleTier } from '../../../contract/admin/support.ts';

const Arns = z.strictObject({ DIAG: z.string().startsWith('arn:'), CONFIG_READ: z.string().startsWith('arn:') } satisfies Record<RoleTier, z.ZodType>);

/** The role of each tier. */
export type SupportRoleArns = z.output<typeof Arns>;

/** Reads the configuration's `supportRoles`. @throws Error when it is not what the deployment writes. */
export const supportRoleArns = (configured: string): SupportRoleArns => Arns.parse(JSON.parse(configured));
