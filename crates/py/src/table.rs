//! A table for data frames: the Arrow PyCapsule interface.

use crate::errors::failed;
use arrow_array::ffi::FFI_ArrowSchema;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{
    ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, RecordBatchIterator, StringArray,
};
use arrow_schema::{ArrowError, DataType, Field, Schema};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyList};
use seamline_report::export::table::{self, Column, Data};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Columns of the same length, which data frames read without copying (`__arrow_c_stream__`).
#[pyclass(frozen, module = "seamline._seamline")]
pub(crate) struct Table {
    name: &'static str,
    batch: RecordBatch,
}

impl Table {
    pub(crate) fn new(py: Python<'_>, table: table::Table) -> PyResult<Self> {
        let name = table.name;
        let batch = py.detach(|| record_batch(table)).map_err(|error| failed(py, error.to_string()))?;
        Ok(Table { name, batch })
    }
}

#[pymethods]
impl Table {
    /// The name of the table.
    #[getter]
    fn name(&self) -> &str {
        self.name
    }

    /// The names of the columns.
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.batch.schema().fields().iter().map(|field| field.name().clone()).collect()
    }

    /// The unit of each column that has one.
    #[getter]
    fn units(&self) -> BTreeMap<String, String> {
        let unit = |field: &Arc<Field>| Some((field.name().clone(), field.metadata().get("unit")?.clone()));
        self.batch.schema().fields().iter().filter_map(unit).collect()
    }

    fn __len__(&self) -> usize {
        self.batch.num_rows()
    }

    /// Every column as a list of Python's own values.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let columns = PyDict::new(py);
        for (field, array) in self.batch.schema().fields().iter().zip(self.batch.columns()) {
            columns.set_item(field.name(), list(py, array)?)?;
        }
        Ok(columns)
    }

    /// Arrow PyCapsule interface: the schema.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(self.batch.schema().as_ref());
        PyCapsule::new_with_value(py, schema.map_err(|error| failed(py, error.to_string()))?, c"arrow_schema")
    }

    /// Arrow PyCapsule interface: the rows. The requested schema is a wish that may be ignored, and is.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        let batches = RecordBatchIterator::new([Ok(self.batch.clone())], self.batch.schema());
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(batches)), c"arrow_array_stream")
    }
}

fn record_batch(table: table::Table) -> Result<RecordBatch, ArrowError> {
    let fields: Vec<Field> = table.columns.iter().map(field).collect();
    let columns = table.columns.into_iter().map(|column| array(column.data)).collect();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns)
}

fn field(column: &Column) -> Field {
    let kind = match column.data {
        Data::Text(_) => DataType::Utf8,
        Data::Whole(_) => DataType::Int64,
        Data::Real(_) => DataType::Float64,
        Data::Truth(_) => DataType::Boolean,
    };
    let field = Field::new(&column.name, kind, true);
    match column.unit() {
        Some(unit) => field.with_metadata(BTreeMap::from([("unit".to_owned(), unit.to_owned())])),
        None => field,
    }
}

fn array(data: Data) -> ArrayRef {
    match data {
        Data::Text(values) => Arc::new(StringArray::from(values)),
        Data::Whole(values) => Arc::new(Int64Array::from(values)),
        Data::Real(values) => Arc::new(Float64Array::from(values)),
        Data::Truth(values) => Arc::new(BooleanArray::from(values)),
    }
}

fn list<'py>(py: Python<'py>, array: &ArrayRef) -> PyResult<Bound<'py, PyList>> {
    let any = array.as_any();
    if let Some(values) = any.downcast_ref::<StringArray>() {
        PyList::new(py, values.iter().collect::<Vec<_>>())
    } else if let Some(values) = any.downcast_ref::<Int64Array>() {
        PyList::new(py, values.iter().collect::<Vec<_>>())
    } else if let Some(values) = any.downcast_ref::<Float64Array>() {
        PyList::new(py, values.iter().collect::<Vec<_>>())
    } else if let Some(values) = any.downcast_ref::<BooleanArray>() {
        PyList::new(py, values.iter().collect::<Vec<_>>())
    } else {
        unreachable!("tables have four kinds of columns")
    }
}
