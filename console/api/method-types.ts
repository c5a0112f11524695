import type { services, ServiceName } from '../../contract/admin/index.ts';
import type { Method, RequestInput, Response } from '../../contract/rpc/rpc.ts';

type MethodsOf<S extends ServiceName> = (typeof services)[S]['methods'];
export type MethodName<S extends ServiceName> = keyof MethodsOf<S> & string;
type MethodOf<S extends ServiceName, M extends MethodName<S>> = MethodsOf<S>[M] extends Method ? MethodsOf<S>[M] : never;
/** The request of a method as a client writes it. */
export type RequestOf<S extends ServiceName, M extends MethodName<S>> = RequestInput<MethodOf<S, M>>;
/** The response of a method. */
export type ResponseOf<S extends ServiceName, M extends MethodName<S>> = Response<MethodOf<S, M>>;
